/** The pages of the application by path, with their headings. */
export const PAGE_TITLES: ReadonlyMap<string, string> = new Map([
  ['/', 'Start'],
  ['/sign-in', 'Sign in'],
  ['/sign-up', 'Create account'],
  ['/forgot-password', 'Forgot your password?'],
  ['/reset-password', 'Set a new password'],
  ['/verify-email', 'Confirm your e-mail address'],
  ['/animals', 'Animals'],
  ['/orders', 'Orders'],
  ['/keys', 'Keys'],
  ['/requests', 'Requests'],
  ['/usage', 'Usage'],
  ['/messages', 'Messages'],
  ['/sandbox', 'Sandbox'],
  ['/plan', 'Plan'],
  ['/operator', 'Accounts'],
  ['/operator/overview', 'Overview'],
  ['/operator/bans', 'Bans'],
  ['/operator/orders', 'All orders'],
  ['/operator/audit', 'Audit log'],
  ['/account', 'Account'],
]);

/** The heading of the start page for visitors who are not signed in. */
export const HOME_TITLE = 'A petstore that really behaves';

/** The page of one account and the page of its usage, for operators. */
const ACCOUNT_PATH = /^\/operator\/accounts\/[\w-]{1,64}(\/usage)?$/;

/** The heading of the page at a path; `undefined` where the application has none. */
export function pageTitle(path: string): string | undefined {
  const [matches, usage] = ACCOUNT_PATH.exec(path) ?? [];
  if (matches !== undefined) return usage === undefined ? 'Account' : 'Usage';
  return PAGE_TITLES.get(path);
}

/** Pages that consist of a single form, shown in a narrow column. */
export const NARROW_PAGES: ReadonlySet<string> = new Set([
  ...['/sign-in', '/sign-up', '/forgot-password', '/reset-password', '/verify-email'],
]);

/** The heading of a page; `undefined` for an unknown path, where visitors are asked to sign in. */
export function headingOf(path: string, isSignedIn: boolean): string | undefined {
  if (isSignedIn) return pageTitle(path);
  if (path === '/') return HOME_TITLE;
  return PAGE_TITLES.get(NARROW_PAGES.has(path) ? path : '/sign-in');
}

/** What the service shows of a page of the application before the session is loaded. */
export function firstViewOf(path: string, hasSession: boolean): { title: string; column: string } {
  const isNarrow = NARROW_PAGES.has(path) || (!hasSession && path !== '/');
  return { title: headingOf(path, hasSession) ?? 'Petstore', column: isNarrow ? 'narrow' : '' };
}
