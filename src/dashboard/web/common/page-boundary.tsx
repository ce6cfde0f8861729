import { Alert, Button, Stack, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { call } from '../api.ts';

interface PageBoundaryProps {
  readonly children: ReactNode;
}

/** Browsers and React remember a script that failed to load until the page is reloaded. */
const failedPaths = new Set<string>();

/** Reloads only when the service is reachable: the browser's own error page has no way back. */
async function reloadOnceReachable(): Promise<void> {
  try {
    await call('GET', '/session');
  } catch {
    return;
  }
  window.location.reload();
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
      <Alert color="red" variant="light" title="This page could not be shown" role="alert">
        <Stack gap="sm" align="flex-start">
          <Text size="sm">Check your connection, then load it again.</Text>
          <Button size="xs" variant="default" onClick={() => window.location.reload()}>
            Reload the page
          </Button>
        </Stack>
      </Alert>
    );
  }
}
