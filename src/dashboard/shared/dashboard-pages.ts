import { pageTitle } from './page-titles.ts';
import type { SearchEntry } from './search.ts';

/** A page of the dashboard in the search index; its title is in `page-titles.ts`. */
interface DashboardPage {
  readonly path: string;
  /** A summary of the page. */
  readonly excerpt: string;
  /** Further search terms. */
  readonly text: string;
}

const PAGES: readonly DashboardPage[] = [
  {
    path: '/',
    excerpt: 'Make a first key and send a first request.',
    text: 'dashboard quickstart begin get started run it now',
  },
  {
    path: '/animals',
    excerpt: 'Look at the animals of both environments, add, change and delete them.',
    text: 'pets store sample status owner category available pending sold',
  },
  {
    path: '/orders',
    excerpt: 'The animals that the account has ordered, and the next step of each order.',
    text: 'buy sell approve deliver cancel createOrder second buyer conflict 409',
  },
  {
    path: '/keys',
    excerpt: 'Create, rotate and revoke API keys.',
    text: 'change replace renew token secret credential expiry expire rotation overlap last used live staging',
  },
  {
    path: '/requests',
    excerpt: 'Every request with your keys: its reply, how long it took, and why it was refused.',
    text: 'log history trace debug request id status latency error',
  },
  {
    path: '/usage',
    excerpt: 'What is left of the limits, requests over time, 429 and bans.',
    text: 'statistics quota remaining banned refused 429 errors chart p95',
  },
  {
    path: '/messages',
    excerpt: 'The inbox of the account.',
    text: 'sendMessage delivered queued find csv download',
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
    text: 'change password forgot sign in passkey authenticator two-factor 2FA recovery codes sign out e-mail settings',
  },
];

const PAGES_OF_OPERATORS: readonly DashboardPage[] = [
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
    path: '/operator/orders',
    excerpt: 'For operators: the orders of all accounts, and cancelling one.',
    text: 'cancel free reserved animal operator',
  },
  {
    path: '/operator/audit',
    excerpt: 'For operators: who changed what, and when.',
    text: 'history events operator',
  },
];

/** The entries of the dashboard's pages that every user can open. */
export const PAGE_ENTRIES: readonly SearchEntry[] = PAGES.map(entryOf);

/** The entries of the pages for operators, which nobody else is offered. */
export const OPERATOR_ENTRIES: readonly SearchEntry[] = PAGES_OF_OPERATORS.map(entryOf);

const OPERATOR_PATHS: ReadonlySet<string> = new Set(OPERATOR_ENTRIES.map(({ path }) => path));

/** Whether a page is offered to a reader. */
export function isOffered(path: string, isOperator: boolean): boolean {
  return isOperator || !OPERATOR_PATHS.has(path);
}

function entryOf({ path, excerpt, text }: DashboardPage): SearchEntry {
  const title = pageTitle(path) ?? path;
  return { path, title, names: title, kind: 'Page', excerpt, text };
}
