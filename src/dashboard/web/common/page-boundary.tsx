import { Alert, Button, Stack, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { call } from '../api.ts';

interface PageBoundaryProps {
  readonly children: ReactNode;
}

/** A script that could not be loaded stays so, in browsers and in React, until all is loaded anew. */
const failedPaths = new Set<string>();

/** Only then: the browser's own page of a failure leads nowhere. */
async function reloadOnceReachable(): Promise<void> {
  try {
    await call('GET', '/session');
  } catch {
    return;
  }
  window.location.reload();
}

/** Stands in for a page that cannot be loaded or shown: the connection is gone, or it is an old one. */
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
