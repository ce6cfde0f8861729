import type { ReactNode } from 'react';
import { useSession } from '../api.ts';
import { Page } from '../common/page.tsx';
import { PageLink } from '../common/page-link.tsx';

interface OperatorPageProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
}

/**
 * A page for operators. Other users see a notice; the service refuses their requests in any case.
 */
export function OperatorPage({ title, description, children }: OperatorPageProps) {
  const role = useSession().data?.account?.role;
  if (role === 'operator') {
    return (
      <Page title={title} description={description}>
        {children}
      </Page>
    );
  }
  return (
    <Page
      title="For operators"
      description="This page is for operators of this service. Ask one of them if you need something changed."
    >
      <PageLink href="/" underline="hover">
        Go to the start page
      </PageLink>
    </Page>
  );
}
