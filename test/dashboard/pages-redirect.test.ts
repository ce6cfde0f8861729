import { expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { TestService } from '../support/harness.ts';

async function locationOf(address: string, headers: Record<string, string> = {}) {
  const reply = await fetch(address, { redirect: 'manual', headers });
  return [reply.status, reply.headers.get('Location')];
}

test("a page requested by another name of this machine redirects to the dashboard's address", async () => {
  await using service = await TestService.start({ parts: PARTS });
  const { port } = service;
  const home = `http://localhost:${port}`;
  expect(await locationOf(`http://127.0.0.1:${port}/sign-up`)).toEqual([307, `${home}/sign-up`]);
  expect(await locationOf(`http://127.0.0.1:${port}/`)).toEqual([307, `${home}/`]);
  expect(await locationOf(`http://127.0.0.1:${port}/docs`)).toEqual([307, `${home}/docs`]);
  expect(await locationOf(`${home}/sign-up`)).toEqual([200, null]);
});

test('a page behind a proxy with another name is not redirected', async () => {
  await using service = await TestService.start({
    parts: PARTS,
    settings: { PETSTORE_DASHBOARD_URL: 'https://petstore.example.com' },
  });
  const address = `http://127.0.0.1:${service.port}/sign-up`;
  expect(await locationOf(address)).toEqual([200, null]);
  expect(await locationOf(address, { Host: 'evil.example.com' })).toEqual([200, null]);
});

test('a redirect to a page keeps the query', async () => {
  await using service = await TestService.start({ parts: PARTS });
  const home = service.dashboardUrl;
  const query = '?account=acct_1&id=a%26b';
  expect(await locationOf(`${home}/requests/${query}`)).toEqual([307, `${home}/requests${query}`]);
  expect(await locationOf(`${home}/docs/search/?q=a`)).toEqual([307, `${home}/docs/search?q=a`]);
  const otherName = `http://127.0.0.1:${service.port}`;
  expect(await locationOf(`${otherName}/keys${query}`)).toEqual([307, `${home}/keys${query}`]);
});

test('a trailing slash redirects to the page', async () => {
  await using service = await TestService.start({ parts: PARTS });
  const home = service.dashboardUrl;
  expect(await locationOf(`${home}/keys/`)).toEqual([307, `${home}/keys`]);
  expect(await locationOf(`${home}/docs/`)).toEqual([307, `${home}/docs`]);
  expect(await locationOf(`${home}//evil.example.com/`)).toEqual([404, null]);
  expect(await locationOf(`${home}/nothing/`)).toEqual([404, null]);
});

test('the well-known address for changing a password redirects to the form', async () => {
  await using service = await TestService.start({ parts: PARTS });
  const home = service.dashboardUrl;
  const address = `${home}/.well-known/change-password`;
  expect(await locationOf(address)).toEqual([307, `${home}/account`]);
  const head = await fetch(address, { method: 'HEAD', redirect: 'manual' });
  expect([head.status, head.headers.get('Location')]).toEqual([307, `${home}/account`]);
  expect((await fetch(address, { method: 'POST' })).status).toBe(405);
  // Tells password managers that the service does not answer everything with a page.
  const missing = 'resource-that-should-not-exist-whose-status-code-should-not-be-200';
  for (const method of ['GET', 'HEAD']) {
    const reply = await fetch(`${home}/.well-known/${missing}`, { method });
    expect([reply.status, reply.redirected]).toEqual([404, false]);
  }
  await using api = await TestService.start();
  const origin = new URL(api.url()).origin;
  expect((await fetch(`${origin}/.well-known/change-password`)).status).toBe(404);
});

test('the well-known address of a dashboard below a path redirects below it', async () => {
  const settings = { PETSTORE_DASHBOARD_URL: 'https://example.com/store' };
  await using service = await TestService.start({ parts: PARTS, settings });
  const address = `http://127.0.0.1:${service.port}/store/.well-known/change-password`;
  expect(await locationOf(address)).toEqual([307, 'https://example.com/store/account']);
});
