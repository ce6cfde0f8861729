import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useSession } from '../api.ts';
import { Page } from '../common/page.tsx';

interface OperatorPageProps {
  readonly title: string;
  readonly description: ReactNode;
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
      <Anchor component={Link} href="/">
        Go to the start page
      </Anchor>
    </Page>
  );
}
