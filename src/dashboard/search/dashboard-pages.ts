/** A page of the dashboard in the search index; its title is in `page-titles.ts`. */
export interface DashboardPage {
  readonly path: string;
  /** A summary of the page. */
  readonly excerpt: string;
  /** Further search terms. */
  readonly text: string;
}

export const DASHBOARD_PAGES: readonly DashboardPage[] = [
  {
    path: '/',
    excerpt: 'Make a first key and send a first request.',
    text: 'dashboard quickstart begin get started run it now',
  },
  {
    path: '/keys',
    excerpt: 'Create, rotate and revoke API keys.',
    text: 'token secret credential expiry expire rotation overlap last used live staging',
  },
  {
    path: '/requests',
    excerpt: 'Every request with your keys: its reply, how long it took, and why it was refused.',
    text: 'log history trace debug request id status latency error',
  },
  {
    path: '/usage',
    excerpt: 'What is left of the limits, requests over time, refused requests and bans.',
    text: 'statistics quota remaining banned 429 errors chart',
  },
  {
    path: '/messages',
    excerpt: 'The inbox of the account.',
    text: 'sendMessage delivered queued',
  },
  {
    path: '/sandbox',
    excerpt: 'Time, limits, bans and simulations of staging.',
    text: 'clock simulate fault Petstore-Simulate test',
  },
  {
    path: '/plan',
    excerpt: 'The plans with their limits, and how to change.',
    text: 'free pro business enterprise upgrade price pricing limits billing',
  },
  {
    path: '/account',
    excerpt: 'Password, second factors, sessions, and deleting the account.',
    text: 'passkey authenticator two-factor 2FA recovery codes sign out e-mail settings',
  },
  {
    path: '/operator',
    excerpt: 'For operators: all accounts, and what can be done about each.',
    text: 'customers users suspend resume delete reset link revoke sessions change plan operator',
  },
  {
    path: '/operator/overview',
    excerpt: 'For operators: requests, errors, bans, slow operations and health.',
    text: 'status store redis backup p95 operator',
  },
  {
    path: '/operator/bans',
    excerpt: 'For operators: active bans, and lifting one.',
    text: 'lift unban banned keys operator',
  },
  {
    path: '/operator/audit',
    excerpt: 'For operators: who changed what, and when.',
    text: 'history events operator',
  },
];
