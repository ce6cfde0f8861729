import { Alert, Button, Stack, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { call } from '../api.ts';
import { Page } from './page.tsx';

interface PageBoundaryProps {
  /** The heading of the page. */
  readonly title: string;
  readonly children: ReactNode;
}

/** Browsers and React remember a script that failed to load until the page is reloaded. */
const failedPaths = new Set<string>();

/** Pauses between attempts to reach the service, in ms: a connection may take a moment to work. */
const PAUSES = [0, 500, 1_000, 2_000, 4_000, 8_000];

/** Reloads only when the service is reachable: the browser's own error page has no way back. */
async function reloadOnceReachable(): Promise<void> {
  for (const pause of PAUSES) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (!(await isReachable())) continue;
    window.location.reload();
    return;
  }
}

async function isReachable(): Promise<boolean> {
  try {
    await call('GET', '/session');
    return true;
  } catch {
    return false;
  }
}

/** Shown instead of a page that fails to load or render, without a connection or after an update. */
export class PageBoundary extends Component<PageBoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  override componentDidCatch(): void {
    const path = window.location.pathname;
    if (failedPaths.has(path)) void reloadOnceReachable();
    failedPaths.add(path);
    window.addEventListener('online', reloadOnceReachable);
  }

  override componentWillUnmount(): void {
    window.removeEventListener('online', reloadOnceReachable);
  }

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <Page title={this.props.title}>
        <Alert color="red" variant="light" title="This page could not be shown" role="alert">
          <Stack gap="sm" align="flex-start">
            <Text size="sm">Check your connection, then load it again.</Text>
            <Button size="xs" variant="default" onClick={() => window.location.reload()}>
              Reload the page
            </Button>
          </Stack>
        </Alert>
      </Page>
    );
  }
}
