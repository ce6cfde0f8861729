/** The pages of the dashboard as the search finds them: what is on each, in the words people look for. */
export const DASHBOARD_PAGES = [
  {
    path: '/',
    title: 'Start',
    excerpt: 'Make a first key and send a first request.',
    text: 'dashboard quickstart begin get started run it now',
  },
  {
    path: '/keys',
    title: 'Keys',
    excerpt: 'Create, rotate and revoke API keys.',
    text: 'token secret credential expiry expire rotation overlap last used live staging',
  },
  {
    path: '/usage',
    title: 'Usage',
    excerpt: 'What is left of the limits, requests over time, refused requests and bans.',
    text: 'statistics quota remaining banned 429 errors chart',
  },
  {
    path: '/messages',
    title: 'Messages',
    excerpt: 'The inbox of the account.',
    text: 'sendMessage delivered queued',
  },
  {
    path: '/sandbox',
    title: 'Sandbox',
    excerpt: 'Time, limits, bans and simulations of staging.',
    text: 'clock simulate fault Petstore-Simulate test',
  },
  {
    path: '/plan',
    title: 'Plan',
    excerpt: 'The plans with their limits, and how to change.',
    text: 'free pro business enterprise upgrade price pricing limits billing',
  },
  {
    path: '/account',
    title: 'Account',
    excerpt: 'Password, second factors, sessions, and deleting the account.',
    text: 'passkey authenticator two-factor 2FA recovery codes sign out e-mail settings',
  },
  {
    path: '/operator',
    title: 'Accounts',
    excerpt: 'For operators: all accounts, and what can be done about each.',
    text: 'customers users suspend resume delete reset link revoke sessions change plan operator',
  },
  {
    path: '/operator/overview',
    title: 'Overview',
    excerpt: 'For operators: requests, errors, bans, slow operations and health.',
    text: 'status store redis backup p95 operator',
  },
  {
    path: '/operator/bans',
    title: 'Bans',
    excerpt: 'For operators: active bans, and lifting one.',
    text: 'lift unban banned keys operator',
  },
  {
    path: '/operator/audit',
    title: 'Audit log',
    excerpt: 'For operators: who changed what, and when.',
    text: 'history events operator',
  },
] as const;
