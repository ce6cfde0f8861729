import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { subscribe } from '../../../src/core/limits/plans.ts';
import { otherSite } from '../../support/other-site.ts';
import type { Walker } from '../walker.ts';

/** Headers of the API that a program in a browser needs. */
const READ = [
  ...['Location', 'ETag', 'Link', 'Retry-After', 'X-Request-Id'],
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit'],
  ...['Deprecation', 'Sunset'],
];

/** Builds a page on another origin, which calls the API with `fetch`. */
export async function otherOrigin(walker: Walker): Promise<void> {
  const service = await walker.serve();
  using site = otherSite();
  const limits = { perMinute: 6, perDay: 100 };
  const { secret } = await service.account(subscribe('enterprise', limits));
  const { page } = await walker.open({
    service: [service.dashboardUrl, site.url],
    expected: [/Failed to load resource/],
  });
  const pets = `${service.url()}/pets`;

  walker.step('reads in the guide how browsers call the API');
  await page.goto(`${service.dashboardUrl}/docs/guides/cors`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await walker.look(page);

  walker.step('adds an animal, and reads its address and the limits');
  await page.goto(site.url);
  const created = await call(page, 'POST', pets, secret, { name: 'Biscuit', categoryId: 7 });
  expect(created).toMatchObject({
    status: 201,
    headers: {
      Location: `${pets}/1`,
      ETag: expect.any(String),
      'X-RateLimit-Limit': '6',
      'X-RateLimit-Remaining': '5',
      'X-RateLimit-Reset': expect.stringMatching(/^\d+$/),
      RateLimit: expect.stringContaining('"minute";r=5'),
    },
  });

  walker.step('pages through a list, and sees that an operation ends');
  await call(page, 'POST', pets, secret, { name: 'Luna', categoryId: 7 });
  const list = await call(page, 'GET', `${pets}?limit=1`, secret);
  expect(list).toMatchObject({ status: 200, headers: { Link: expect.stringContaining('next') } });
  const one = await call(page, 'GET', `${pets}/1`, secret);
  expect(one.headers).toMatchObject({
    Sunset: expect.any(String),
    Deprecation: expect.any(String),
  });

  walker.step('reads why a call is refused, also where the method needs a preflight');
  const invalid = await call(page, 'POST', pets, secret, { name: '' });
  expect(invalid).toMatchObject({ status: 400, body: { code: 'invalid_body', status: 400 } });
  const patched = await call(page, 'PATCH', `${pets}/1`, secret, { status: 'sold' });
  expect(patched).toMatchObject({ status: 200, body: { status: 'sold' } });
  const refused = await call(page, 'DELETE', `${pets}/1`, secret);
  expect(refused).toMatchObject({
    status: 429,
    headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
    body: { code: 'rate_limited' },
  });
  const unknown = await call(page, 'GET', pets, 'pst_live_none');
  expect(unknown).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } });

  walker.step('asks what a preflight allows');
  const preflight = await fetch(`${pets}/1`, {
    method: 'OPTIONS',
    headers: {
      Origin: new URL(site.url).origin,
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'authorization,content-type,if-match',
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe('*');
  expect(preflight.headers.get('Access-Control-Allow-Methods')).toContain('PATCH');
}

interface Reply {
  readonly status: number;
  /** Those that a page of another origin is shown. */
  readonly headers: Readonly<Record<string, string | null>>;
  readonly body: unknown;
}

/** Sends one request from the page. */
function call(page: Page, method: string, url: string, key: string, body?: object): Promise<Reply> {
  return page.evaluate(
    async ({ method, url, key, body, names }) => {
      const reply = await fetch(url, {
        method,
        headers: {
          Authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const headers = Object.fromEntries(names.map((name) => [name, reply.headers.get(name)]));
      return { status: reply.status, headers, body: await reply.json() };
    },
    { method, url, key, body, names: READ },
  );
}
