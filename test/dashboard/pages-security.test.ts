import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { errorReply } from '../../src/dashboard/errors.ts';
import { foreignRefusal, secured } from '../../src/dashboard/security.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { TestService } from '../support/harness.ts';

const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': expect.stringContaining('camera=()'),
};

const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

const DASHBOARD = 'https://petstore.example/console';

/** Requests of every kind, with the status of their replies. */
const KINDS: ReadonlyArray<{ what: string; path: string; status: number; init?: RequestInit }> = [
  { what: 'page', path: '/', status: 200 },
  { what: 'reference', path: '/docs', status: 200 },
  { what: 'missing page', path: '/nowhere', status: 404 },
  {
    what: 'missing document',
    path: '/nowhere',
    status: 404,
    init: { headers: { Accept: 'application/json' } },
  },
  { what: 'operation', path: '/docs/operations/createPet', status: 200 },
  { what: 'document', path: '/docs/guides/errors.md', status: 200 },
  { what: 'redirect', path: '/openapi.json', status: 307, init: { redirect: 'manual' } },
  { what: 'catalog', path: '/.well-known/api-catalog', status: 200 },
  { what: 'guide', path: '/llms.txt', status: 200 },
  { what: 'icon', path: '/favicon.svg', status: 200 },
  { what: 'wrong method', path: '/keys', status: 405, init: { method: 'POST' } },
  { what: 'foreign call', path: '/api/keys', status: 403, init: { method: 'POST' } },
  { what: 'missing call', path: '/api/nowhere', status: 404 },
  { what: 'session', path: '/api/session', status: 200 },
  { what: 'missing sign-in call', path: '/api/auth/nowhere', status: 404 },
];

describe('every reply', () => {
  test.each(KINDS)('($what) has the security headers', async ({ path, status, init }) => {
    await using service = await TestService.start({ parts: PARTS });
    const reply = await fetch(service.dashboardUrl + path, init);
    expect(reply.status).toBe(status);
    const headers = Object.fromEntries(reply.headers);
    expect(headers).toMatchObject(EVERYWHERE);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['strict-transport-security']).toBeUndefined();
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  test('requires https from then on where the dashboard is served over https', async () => {
    const settings = { PETSTORE_DASHBOARD_URL: DASHBOARD };
    await using service = await TestService.start({ parts: PARTS, settings });
    const reply = await fetch(`http://localhost:${service.port}/console/keys`);
    expect(reply.headers.get('strict-transport-security')).toBe('max-age=31536000');
  });

  test('keeps its own content security policy', () => {
    const own = new Response('', { headers: { 'Content-Security-Policy': "img-src 'self'" } });
    expect(secured(own, DASHBOARD).headers.get('content-security-policy')).toBe("img-src 'self'");
    const reply = secured(new Response(''), DASHBOARD);
    expect(reply.headers.get('content-security-policy')).toBe(DATA_POLICY);
  });
});

describe('the content security policy', () => {
  test('of the application allows styles by a nonce that is new each time, no inline script', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const nonces = new Set<string>();
    for (const path of ['/', '/', '/keys']) {
      const reply = await fetch(service.dashboardUrl + path);
      const [, nonce = ''] = /name="style-nonce" content="([^"]+)"/.exec(await reply.text()) ?? [];
      expect(nonce).toMatch(/^[\w+/]{22,}=*$/);
      nonces.add(nonce);
      expect(policyOf(reply)).toEqual({
        'default-src': "'none'",
        'script-src': "'self'",
        'style-src': `'self' 'nonce-${nonce}'`,
        'img-src': "'self' data:",
        'font-src': "'self'",
        'connect-src': `'self' ${new URL(service.url()).origin}`,
        'base-uri': "'none'",
        'form-action': "'self'",
        'frame-ancestors': "'none'",
      });
    }
    expect(nonces.size).toBe(3);
  });

  test('of the reference allows its own files and the API, and the script no markup', async () => {
    await using service = await TestService.start({ parts: PARTS });
    for (const path of ['/docs', '/docs/operations/createPet']) {
      expect(policyOf(await fetch(service.dashboardUrl + path))).toEqual({
        'default-src': "'none'",
        'script-src': "'self'",
        'style-src': "'self'",
        'img-src': "'self'",
        'font-src': "'self'",
        'connect-src': `'self' ${new URL(service.url()).origin}`,
        'base-uri': "'none'",
        'form-action': "'none'",
        'frame-ancestors': "'none'",
        'require-trusted-types-for': "'script'",
      });
    }
  });

  test('allows nothing unsafe anywhere', async () => {
    await using service = await TestService.start({ parts: PARTS });
    for (const { path, init } of KINDS) {
      const policy = policyOf(await fetch(service.dashboardUrl + path, init));
      expect([path, JSON.stringify(policy)]).toEqual([path, expect.not.stringContaining('unsafe')]);
    }
  });

  test('lets pages reach the API at each of its addresses', async () => {
    const settings = {
      PETSTORE_BASE_URL: 'https://api.petstore.example/v1',
      PETSTORE_STAGING_BASE_URL: 'https://staging.petstore.example/v1',
      PETSTORE_QUICKSTART_BASE_URL: 'https://api.petstore.example/quickstart',
      PETSTORE_SANDBOX_BASE_URL: 'https://staging.petstore.example/sandbox',
      PETSTORE_DASHBOARD_URL: DASHBOARD,
    };
    await using service = await TestService.start({ parts: PARTS, settings });
    for (const path of ['/docs', '/keys']) {
      const policy = policyOf(await fetch(`http://localhost:${service.port}/console${path}`));
      expect(policy['connect-src']).toBe(
        "'self' https://api.petstore.example https://staging.petstore.example",
      );
    }
  });
});

describe('a request that changes something', () => {
  /** The reply that refuses a request, if it is refused. */
  const from = (headers: Record<string, string>, method = 'POST') => {
    const request = new Request(`${DASHBOARD}/api/keys`, { method, headers });
    const refusal = foreignRefusal(request, DASHBOARD);
    return refusal && errorReply(refusal, { error: () => {} });
  };
  const OURS = 'https://petstore.example';

  test.each([
    [{ 'Sec-Fetch-Site': 'same-origin', Origin: OURS }],
    [{ 'Sec-Fetch-Site': 'same-origin' }],
    [{ Origin: OURS }],
  ])('is accepted with %j', (headers) => {
    expect(from(headers)).toBeUndefined();
  });

  test.each([
    [{}],
    [{ Origin: 'null' }],
    [{ Origin: 'https://evil.example' }],
    [{ Origin: 'http://petstore.example' }],
    [{ Origin: 'https://petstore.example.evil.example' }],
    [{ Origin: `${OURS}:8443` }],
    [{ 'Sec-Fetch-Site': 'cross-site' }],
    [{ 'Sec-Fetch-Site': 'same-site', Origin: OURS }],
    [{ 'Sec-Fetch-Site': 'none' }],
    [{ 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.example' }],
  ])('is refused with %j', async (headers) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const reply = from(headers, method);
      expect(reply?.status).toBe(403);
      expect(await reply?.json()).toMatchObject({ code: 'forbidden' });
    }
  });

  test('is refused before its session is looked up, sign-in included', async () => {
    await using service = await TestService.start({ parts: PARTS });
    for (const path of ['/api/keys', '/api/auth/sign-in/email', '/api/nowhere']) {
      const headers = { Origin: 'https://evil.example', 'Content-Type': 'application/json' };
      const reply = await fetch(service.dashboardUrl + path, {
        method: 'POST',
        headers,
        body: '{}',
      });
      expect(reply.status).toBe(403);
    }
  });

  test('is none by GET or HEAD, which are accepted from other sites', () => {
    for (const method of ['GET', 'HEAD']) {
      expect(from({ 'Sec-Fetch-Site': 'cross-site' }, method)).toBeUndefined();
    }
  });

  test('is allowed to no other origin by a preflight', async () => {
    await using service = await TestService.start({ parts: PARTS });
    for (const path of ['/api/keys', '/api/auth/sign-in/email', '/keys']) {
      const reply = await fetch(service.dashboardUrl + path, {
        method: 'OPTIONS',
        headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
      });
      expect(reply.ok).toBe(false);
      const names = [...reply.headers.keys()];
      expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});

describe('a failure', () => {
  test('is logged with its cause, which the reply does not show', async () => {
    const logged: object[] = [];
    const error = new Error('disk 7 is on fire', { cause: new Error('heat') });
    const reply = errorReply(error, { error: (details) => logged.push(details) });
    expect(reply.status).toBe(500);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const body = await reply.text();
    expect(JSON.parse(body)).toMatchObject({ code: 'failed' });
    expect(body).not.toMatch(/fire|heat/);
    expect(logged).toEqual([{ err: error }]);
  });

  test('of the store shows when to try again', async () => {
    const logged: object[] = [];
    const error = new StorageUnavailable(new Error('disk 7 is full'));
    const reply = errorReply(error, { error: (details) => logged.push(details) });
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).toBe('1');
    const body = await reply.text();
    expect(JSON.parse(body)).toMatchObject({ code: 'unavailable' });
    expect(body).not.toContain('full');
    expect(logged).toEqual([{ err: error }]);
  });
});

describeWithBrowser('a browser', (open) => {
  test.each(['/', '/docs/operations/createPet'])(
    'runs no script that is injected into %s',
    async (path) => {
      await using service = await TestService.start({ parts: PARTS });
      const expected = [/Content Security Policy|TrustedScript/];
      await using visitor = await open({ service: service.dashboardUrl, expected });
      const { page } = visitor;
      await page.goto(service.dashboardUrl + path);
      const ran = await page.evaluate(() => {
        const script = document.createElement('script');
        // Not `textContent`, because the policy of the reference forbids setting it.
        script.append('document.documentElement.dataset.ran = "yes"');
        document.body.append(script);
        const link = document.createElement('a');
        link.href = 'javascript:document.documentElement.dataset.ran = "yes"';
        document.body.append(link);
        link.click();
        return document.documentElement.dataset['ran'];
      });
      expect(ran).toBeUndefined();
      expect(visitor.problems).toEqual([]);
    },
  );

  test('shows no page in a frame of another', async () => {
    await using service = await TestService.start({ parts: PARTS });
    using other = Bun.serve({
      port: 0,
      fetch: () =>
        new Response(`<title>Other</title><iframe src="${service.dashboardUrl}/"></iframe>`, {
          headers: { 'Content-Type': 'text/html' },
        }),
    });
    const addresses = [service.dashboardUrl, other.url.href];
    const expected = [/frame-ancestors|X-Frame-Options/i];
    await using visitor = await open({ service: addresses, expected });
    await visitor.page.goto(other.url.href, { waitUntil: 'networkidle' });
    const [, frame] = visitor.page.frames();
    expect(frame?.url()).toStartWith('chrome-error:');
    expect(visitor.requests).toContain(`${service.dashboardUrl}/`);
  });
});

/** The directives of the reply's policy, by name. */
function policyOf(reply: Response): Record<string, string> {
  const policy = reply.headers.get('content-security-policy') ?? '';
  return Object.fromEntries(
    policy.split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources.join(' ')];
    }),
  );
}
