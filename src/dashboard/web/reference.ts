/*
 * The script of the API reference page. Scalar's own script has run before and left a global.
 */

import { repairMarkup } from './reference-repairs.ts';

/** The options of Scalar that are used here. */
interface ScalarOptions {
  readonly title: string;
  /** Of the document, in the address of the page. */
  readonly slug: string;
  readonly url: string;
  /** Instead of those of the document. */
  readonly servers?: ReadonlyArray<{ readonly url: string; readonly description: string }>;
  readonly darkMode: boolean;
  readonly withDefaultFonts: boolean;
  readonly telemetry: boolean;
  readonly agent: { readonly disabled: boolean };
  readonly showDeveloperTools: 'never';
  readonly hideClientButton: boolean;
  readonly documentDownloadType: 'none';
  readonly persistAuth: boolean;
  readonly defaultHttpClient: { readonly targetKey: string; readonly clientKey: string };
  readonly authentication: { readonly preferredSecurityScheme: string };
  readonly defaultOpenAllTags: boolean;
  readonly hideModels: boolean;
  readonly showOperationId: boolean;
  readonly metaData: { readonly title: string };
}

declare const Scalar: {
  createApiReference(place: string, options: readonly ScalarOptions[]): unknown;
};

const SCHEME = 'mantine-color-scheme-value';
const root = document.documentElement;
const isDark = root.dataset['mantineColorScheme'] === 'dark';

// Scalar stores a colour scheme of its own; the dashboard's overrides it.
localStorage.setItem('colorMode', isDark ? 'dark' : 'light');

const OPTIONS = {
  darkMode: isDark,
  // Features that would make the browser contact other hosts.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  // The bar above the reference links to the document.
  documentDownloadType: 'none',
  // A pasted key must not outlive the page.
  persistAuth: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  authentication: { preferredSecurityScheme: 'apiKey' },
  defaultOpenAllTags: true,
  // Every operation shows the schemas that it uses.
  hideModels: true,
  showOperationId: true,
  metaData: { title: document.title },
} as const;

Scalar.createApiReference('#reference', [
  {
    ...OPTIONS,
    title: 'Pets',
    slug: 'pets',
    url: `${meta('base-path')}/docs/production.json`,
    servers: [
      { url: meta('production-address'), description: 'Production' },
      { url: meta('staging-address'), description: 'Staging: separate animals and keys' },
    ],
  },
  {
    ...OPTIONS,
    title: 'Quickstart',
    slug: 'quickstart',
    url: `${meta('base-path')}/docs/quickstart.json`,
  },
  {
    ...OPTIONS,
    title: 'Sandbox',
    slug: 'sandbox',
    url: `${meta('base-path')}/docs/sandbox.json`,
  },
]);

/** What the server says to this script. */
function meta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

// A change of Scalar's colour scheme becomes the dashboard's.
new MutationObserver(() => {
  const scheme = document.body.classList.contains('dark-mode') ? 'dark' : 'light';
  if (scheme === root.dataset['mantineColorScheme']) return;
  root.dataset['mantineColorScheme'] = scheme;
  localStorage.setItem(SCHEME, scheme);
}).observe(document.body, { attributeFilter: ['class'] });

repairMarkup(document.body);
