import { expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { TestService } from '../support/harness.ts';
import { otherSite } from '../support/other-site.ts';

/** Headers that tracing libraries, caches and programs add. */
const ADDED = {
  baggage: 'sentry-trace_id=1',
  'sentry-trace': '1-1',
  'x-datadog-trace-id': '1',
  'x-datadog-sampling-priority': '1',
  b3: '0',
  'Cache-Control': 'no-cache',
  Pragma: 'no-cache',
  'X-Shop': '1',
  'X-Custom_Header.1~': 'a',
};

interface SentRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Seen {
  readonly status: number;
  readonly body: string;
  readonly requestId: string | null;
}

describeWithBrowser('a page of another origin', (open) => {
  test('sends any headers to the API, and sees every reply', async () => {
    await using service = await TestService.start({
      parts: PARTS,
      settings: { PETSTORE_ANONYMOUS_PER_MINUTE: '8' },
    });
    using site = otherSite();
    const { secret } = await service.account();
    const { secret: staging } = await service.account(undefined, 'staging');
    await using visitor = await open({
      service: [service.dashboardUrl, site.url],
      expected: [/Failed to load resource/],
    });
    const { page } = visitor;
    await page.goto(site.url);
    const send = (url: string, key: string, init: SentRequest = {}): Promise<Seen | string> =>
      page.evaluate(
        async ({ url, init }) => {
          try {
            const { status, headers, text } = await fetch(url, init).then(async (reply) => ({
              status: reply.status,
              headers: reply.headers,
              text: await reply.text(),
            }));
            return { status, body: text, requestId: headers.get('X-Request-Id') };
          } catch (error) {
            return String(error);
          }
        },
        {
          url,
          init: {
            ...init,
            headers: { ...ADDED, Authorization: `Bearer ${key}`, ...init.headers },
          },
        },
      );
    const json = { 'Content-Type': 'application/json' };
    const pets = `${service.url()}/pets`;
    const rows: ReadonlyArray<readonly [number, () => Promise<Seen | string>]> = [
      [200, () => send(pets, secret)],
      [
        201,
        () =>
          send(pets, secret, {
            method: 'POST',
            headers: json,
            body: '{"name":"A","categoryId":1}',
          }),
      ],
      [400, () => send(pets, secret, { method: 'POST', headers: json, body: '{' })],
      [413, () => send(pets, secret, { method: 'POST', headers: json, body: 'x'.repeat(100_000) })],
      [404, () => send(`${service.url()}/nothing`, secret)],
      [404, () => send(`${service.url()}/nothing`, secret, { method: 'PUT' })],
      [404, () => send(`${service.dashboardUrl}/v2/pets`, secret, { method: 'DELETE' })],
      [405, () => send(pets, secret, { method: 'PUT' })],
      [405, () => send(pets, secret, { method: 'REPORT' })],
      [400, () => send(`${service.url()}///pets`, secret)],
      [200, () => send(`${service.url('staging')}/pets`, staging)],
      [
        503,
        () =>
          send(`${service.url('staging')}/pets`, staging, {
            headers: { 'Petstore-Simulate': 'unavailable' },
          }),
      ],
      [
        200,
        () =>
          send(`${service.url('sandbox')}/ban`, staging, {
            method: 'PUT',
            headers: json,
            body: '{"seconds":30}',
          }),
      ],
      [429, () => send(`${service.url('staging')}/pets`, staging)],
      [405, () => send(`${service.url('sandbox')}/ban`, staging, { method: 'PATCH' })],
      [
        202,
        () =>
          send(`${service.url('quickstart')}/messages`, secret, {
            method: 'POST',
            headers: json,
            body: '{"message":"Hi"}',
          }),
      ],
      [200, () => send(`${service.url()}/openapi.json`, secret)],
      [
        403,
        () =>
          send(`${service.dashboardUrl}/mcp`, secret, {
            method: 'POST',
            headers: json,
            body: '{}',
          }),
      ],
      [403, () => send(`${service.dashboardUrl}/mcp`, secret, { method: 'DELETE' })],
      ...Array.from({ length: 7 }, () => [401, () => send(pets, 'wrong')] as const),
      [429, () => send(pets, 'wrong')],
    ];
    for (const [index, [status, request]] of rows.entries()) {
      expect([index, await request()]).toEqual([index, expect.objectContaining({ status })]);
    }
    const reply = await send(pets, secret);
    expect(reply).toMatchObject({ requestId: expect.any(String) });
    // The API of the dashboard's own pages is for them alone.
    expect(await send(`${service.dashboardUrl}/api/session`, secret)).toContain('Failed to fetch');
    expect(visitor.problems).toEqual([expect.stringContaining('CORS policy')]);
  });
});
