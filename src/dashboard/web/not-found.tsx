import { Page } from './common/page.tsx';
import { PageLink } from './common/page-link.tsx';

export function NotFound() {
  return (
    <Page title="No such page" description="The address may be mistyped.">
      <PageLink href="/" underline="hover">
        Go to the start page
      </PageLink>
    </Page>
  );
}
