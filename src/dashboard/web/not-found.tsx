import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { Page } from './common/page.tsx';

export function NotFound() {
  return (
    <Page title="No such page" description="The address may be mistyped.">
      <Anchor component={Link} href="/">
        Go to the start page
      </Anchor>
    </Page>
  );
}
