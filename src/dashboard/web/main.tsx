import './mantine.css';
import './frame/frame.css';
import './frame/application.css';
import './common/common.css';
import './common/print.css';
import './start/start.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { createQueryClient } from './api.ts';
import { App } from './app.tsx';
import { basePath, styleNonce } from './page-settings.ts';
import { offerSearch } from './search/search.ts';
import { theme } from './theme.ts';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element #root.');

// The library that locks scrolling behind dialogs reads the nonce of its style element here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

offerSearch(basePath);

// The theme's variables and Mantine's classes are in style sheets, which the pages of the reference use, too.
const application = (
  <MantineProvider
    theme={theme}
    withCssVariables={false}
    withGlobalClasses={false}
    defaultColorScheme="auto"
    getStyleNonce={() => styleNonce}
  >
    <QueryClientProvider client={createQueryClient()}>
      <Notifications position="bottom-right" />
      <Router base={basePath}>
        <App />
      </Router>
    </QueryClientProvider>
  </MantineProvider>
);

// As a transition, React renders in small steps, between which the page reacts.
startTransition(() => {
  hydrateRoot(root, application);
});
