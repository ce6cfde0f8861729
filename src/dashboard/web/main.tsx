// The bundler adds Mantine's own styles to the page, for the components that are used.
import '@mantine/notifications/styles.css';
import './shell.css';
import './common/common.css';
import './common/print.css';
import './start/start.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { createQueryClient } from './api.ts';
import { App } from './app.tsx';
import { basePath, styleNonce } from './page-settings.ts';
import { offerSearch } from './search/search.ts';
import { theme, variables } from './theme.ts';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element #root.');

// The library that locks scrolling behind dialogs reads the nonce of its style element here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

offerSearch(basePath);

createRoot(root).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={variables}
    defaultColorScheme="auto"
    getStyleNonce={() => styleNonce}
  >
    <QueryClientProvider client={createQueryClient()}>
      <Notifications position="bottom-right" />
      <Router base={basePath}>
        <App />
      </Router>
    </QueryClientProvider>
  </MantineProvider>,
);
