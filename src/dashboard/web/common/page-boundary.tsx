import { Alert, Button, Stack, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';

interface PageBoundaryProps {
  readonly children: ReactNode;
}

/** Stands in for a page that cannot be loaded or shown: the connection is gone, or it is an old one. */
export class PageBoundary extends Component<PageBoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

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
