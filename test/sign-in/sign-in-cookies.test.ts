import { expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import { TestService } from '../support/harness.ts';

const WEEK = 'Max-Age=604800';

test('on http the session is a plain cookie that no script can read', async () => {
  await using service = await TestService.start({ parts: PARTS });
  const visitor = new Visitor(service);

  const { name, attributes } = await cookieOf(visitor);

  expect(name).toBe('petstore_session');
  expect(attributes.sort()).toEqual(['HttpOnly', WEEK, 'Path=/', 'SameSite=Lax']);
});

test('on https it is also Secure, and bound to the host by its name', async () => {
  const settings = { PETSTORE_DASHBOARD_URL: 'https://petstore.example.com' };
  await using service = await TestService.start({ parts: PARTS, settings });
  const visitor = new Visitor(service, undefined, {
    via: `http://localhost:${service.port}`,
    headers: { Host: 'petstore.example.com' },
  });

  const { name, attributes } = await cookieOf(visitor);

  expect(name).toBe('__Host-petstore_session');
  expect(attributes.sort()).toEqual(['HttpOnly', WEEK, 'Path=/', 'SameSite=Lax', 'Secure']);
  expect(await visitor.json('GET', '/api/session')).toMatchObject({
    account: { email: visitor.email },
  });
});

test('signing in and out works on a dashboard below a path', async () => {
  const settings = { PETSTORE_DASHBOARD_URL: 'https://example.com/pets/dashboard' };
  await using service = await TestService.start({ parts: PARTS, settings });
  const visitor = new Visitor(service, undefined, {
    via: `http://localhost:${service.port}/pets/dashboard`,
    headers: { Host: 'example.com' },
  });

  const { name, attributes } = await cookieOf(visitor);

  expect(name).toBe('__Host-petstore_session');
  expect(attributes).toContain('Path=/');
  await visitor.signIn();
  expect(await visitor.json('GET', '/api/session')).toMatchObject({
    account: { email: visitor.email },
  });
  await visitor.post('/api/auth/sign-out');
  expect(visitor.cookie).not.toContain('_session');
});

test('a cookie with a wrong signature, or without one, is no session', async () => {
  await using service = await TestService.start({ parts: PARTS });
  const visitor = await Visitor.signUp(service);
  const other = await Visitor.signUp(service);
  const cookie = sessionCookie(visitor);
  const [token = '', signature = ''] = cookie.split('.');
  const [, foreign = ''] = sessionCookie(other).split('.');

  for (const forged of [token, `${token}.`, `${token}.${foreign}`, `${cookie}x`, `x${cookie}`]) {
    visitor.cookie = forged;
    expect(await visitor.json('GET', '/api/session')).toMatchObject({ account: null });
  }
  visitor.cookie = `${token}.${signature}`;
  expect(await visitor.json('GET', '/api/session')).toMatchObject({
    account: { email: visitor.email },
  });
});

test('a reply to the cookie of an ended session leaves the cookie of a later sign-in alone', async () => {
  await using service = await TestService.start({ parts: PARTS });
  const visitor = await Visitor.signUp(service);
  const ended = visitor.cookie;
  await visitor.post('/api/auth/sign-out');
  visitor.cookie = ended;

  const reply = await visitor.get('/api/session');

  expect(await reply.json()).toMatchObject({ account: null });
  expect(reply.headers.getSetCookie()).toEqual([]);
});

/** The session cookie in the form of the Cookie header. */
function sessionCookie({ cookie }: Visitor): string {
  return cookie.split('; ').find((pair) => pair.includes('_session=')) ?? '';
}

/** Signs up; returns the session cookie. The only other cookie identifies a known browser. */
async function cookieOf(visitor: Visitor): Promise<{ name: string; attributes: string[] }> {
  const body = { email: visitor.email, password: PASSWORD };
  const reply = await visitor.post('/api/auth/sign-up/email', body);
  const [line = '', browser = '', ...others] = reply.headers.getSetCookie();
  expect(others).toEqual([]);
  const prefix = line.startsWith('__Host-') ? '__Host-' : '';
  expect(browser).toStartWith(`${prefix}petstore_browser=`);
  expect(browser.split('; ').includes('Secure')).toBe(prefix !== '');
  expect(browser.split('; ')).toEqual(
    expect.arrayContaining(['HttpOnly', 'Path=/', 'SameSite=Lax', 'Max-Age=15552000']),
  );
  const [pair = '', ...attributes] = line.split('; ');
  return { name: pair.split('=')[0] ?? '', attributes };
}

test('the session is found among the cookies of other applications on the same host', async () => {
  await using service = await TestService.start({ parts: PARTS });
  const visitor = await Visitor.signUp(service);
  const session = async (cookie: string) => {
    const headers = { Cookie: cookie };
    const reply = await fetch(`${service.dashboardUrl}/api/session`, { headers });
    const { account }: { account: { email: string } | null } = await reply.json();
    return account?.email;
  };
  const others = (count: number) => Array.from({ length: count }, (_, each) => `a${each}=b`);
  const found = visitor.email;
  expect(await session([...others(190), visitor.cookie].join('; '))).toBe(found);
  expect(await session([visitor.cookie, ...others(1_000)].join('; '))).toBe(found);
  expect(await session(`petstore=x; petstore_other=y;${visitor.cookie}`)).toBe(found);
  // No browser has as many cookies for one host.
  expect(await session([...others(1_000), visitor.cookie].join('; '))).toBeUndefined();
});
