import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { PARTS } from '../../src/config/config.ts';
import { createLog } from '../../src/observability/log.ts';
import { eventually, ManualClock, TestService, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { acceptedCiphers, Certificates, hasOpenssl, shownAt } from '../support/tls-certificates.ts';

const LOOK = 'look at the TLS files';

/** A request that does not verify the issuer of the certificate. */
function over(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, tls: { rejectUnauthorized: false } });
}

/** Sends text over TLS; returns the received text when the connection ends. */
function exchangeOverTls(port: number, text: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let received = '';
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.on('secureConnect', () => socket.write(text));
  socket.on('data', (bytes) => {
    received += bytes;
  });
  // The service may end the connection with a reset.
  socket.on('error', () => {});
  socket.on('close', () => resolve(received));
  return promise;
}

/** A service with a certificate, and its log. */
async function start(days?: number) {
  const folder = temporaryFolder();
  const certificates = new Certificates(folder.path);
  await certificates.issue('first', days);
  const lines: string[] = [];
  const service = await TestService.start({
    clock: new ManualClock(Date.now()),
    log: createLog('info', { write: (line) => lines.push(line) }),
    parts: PARTS,
    settings: certificates.settings,
  });
  return {
    folder,
    certificates,
    service,
    logged: (text: string) => lines.filter((line) => line.includes(text)),
    inspect: () => service.runJobs(LOOK),
    async readiness() {
      return (await fetch(`${service.opsUrl}/readyz`)).text();
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

describe.skipIf(!hasOpenssl)('with PETSTORE_TLS_CERT and PETSTORE_TLS_KEY', () => {
  test('the service speaks HTTP/1.1 over TLS 1.2 and 1.3, and its addresses begin with https', async () => {
    await using scene = await start();
    const { service } = scene;
    const { secret } = await service.account();
    const client = service.client(secret, { fetch: (url, init) => over(String(url), init) });

    const pet = await client.createPet({ name: 'Biscuit', categoryId: 7 });
    const { pets } = await client.listPets();

    expect(pets).toEqual([pet]);
    expect(service.url()).toBe(`https://localhost:${service.port}/v1`);
    expect(await shownAt(service.port, '-tls1_3')).toEqual(['first', 'TLSv1.3']);
    expect(await shownAt(service.port, '-tls1_2')).toEqual(['first', 'TLSv1.2']);
    expect(await shownAt(service.port, '-tls1_1')).toEqual(['none', 'none']);
    const document = await (await over(`${service.url()}/openapi.json`)).json();
    expect(document.servers).toEqual([{ url: service.url(), description: expect.any(String) }]);
    expect(fetch(service.url().replace('https:', 'http:'))).rejects.toThrow();
    // Strict-Transport-Security would apply to every port of localhost.
    const page = await over(`${service.dashboardUrl}/sign-in`, { method: 'HEAD' });
    expect([page.status, page.headers.get('strict-transport-security')]).toEqual([200, null]);
    expect(await (await fetch(`${service.opsUrl}/metrics`)).text()).toMatch(
      /^petstore_tls_certificate_expiry_timestamp_seconds \d/m,
    );
  });

  test.each(['RSA', 'ECDSA'] as const)(
    'the ciphers of TLS 1.2 have forward secrecy and authenticated encryption: %s',
    async (algorithm) => {
      using folder = temporaryFolder();
      const certificates = new Certificates(folder.path);
      await certificates.issue('first', 30, algorithm);
      await using service = await TestService.start({
        clock: new ManualClock(Date.now()),
        settings: certificates.settings,
      });
      const expected = [
        `ECDHE-${algorithm}-AES128-GCM-SHA256`,
        `ECDHE-${algorithm}-AES256-GCM-SHA384`,
        `ECDHE-${algorithm}-CHACHA20-POLY1305`,
      ];
      expect(await acceptedCiphers(service.port)).toEqual(expected);
      await certificates.issue('renewed', 30, algorithm);
      await service.runJobs(LOOK);
      expect(await acceptedCiphers(service.port)).toEqual(expected);
      expect((await shownAt(service.port, '-tls1_3'))[1]).toBe('TLSv1.3');
    },
  );

  test('a truncated reply is encrypted like all others', async () => {
    await using scene = await start();
    const { service } = scene;
    const { secret } = await service.account(undefined, 'staging');
    const lines = [
      'GET /staging/v1/pets?limit=x HTTP/1.1',
      `Host: localhost:${service.port}`,
      `Authorization: Bearer ${secret}`,
      'Petstore-Simulate: truncate',
    ];
    const text = await exchangeOverTls(service.port, `${lines.join('\r\n')}\r\n\r\n`);
    expect(text).toStartWith('HTTP/1.1 400 ');
    expect(text).toContain('{"code":"invalid_parameter"');
    expect(text).not.toContain('"status":400}');
  });

  test('a renewed certificate is used without an error to any request', async () => {
    await using scene = await start();
    const { service, certificates } = scene;
    const { secret } = await service.account();
    let isRenewed = false;
    const failures: unknown[] = [];
    let answered = 0;
    const callers = Array.from({ length: 4 }, async () => {
      const headers = { Authorization: `Bearer ${secret}` };
      while (!isRenewed) {
        try {
          const reply = await over(`${service.url()}/pets`, { headers });
          await reply.json();
          answered += 1;
        } catch (error) {
          failures.push(error);
        }
      }
    });

    await eventually(() => answered > 20);
    await certificates.issue('second');
    await scene.inspect();
    const renewedAt = answered;
    await eventually(() => answered > renewedAt + 20);
    const shown = await shownAt(service.port);
    isRenewed = true;
    await Promise.all(callers);

    expect(shown[0]).toBe('second');
    expect(failures).toEqual([]);
    expect(scene.logged('uses a new TLS certificate')).toHaveLength(1);
    // The files have not changed since.
    await scene.inspect();
    expect(scene.logged('uses a new TLS certificate')).toHaveLength(1);
  });

  test('files that cannot be used are logged and shown, while the former ones stay in use', async () => {
    await using scene = await start();
    const { service, certificates, folder } = scene;
    const second = await certificates.make('second');
    const PROBLEM = 'the new TLS files cannot be used';

    // Like between the two steps of a renewal.
    certificates.use(second.cert, join(folder.path, 'first', 'privkey.pem'));
    await scene.inspect();
    expect(scene.logged(PROBLEM)).toEqual([]);
    for (let look = 0; look < 3; look += 1) await scene.inspect();

    expect(scene.logged(PROBLEM)).toEqual([
      expect.stringMatching(/The key in \S+ does not belong to the first certificate in/),
    ]);
    expect(await scene.readiness()).toMatch(/^ready\nThe key in /);
    expect((await shownAt(service.port))[0]).toBe('first');

    certificates.use(second.cert, second.key);
    await scene.inspect();
    expect((await shownAt(service.port))[0]).toBe('second');
    expect(await scene.readiness()).toBe('ready\n');
  });

  test('a certificate that expires within a week is a warning', async () => {
    await using scene = await start(8);
    expect(scene.logged('expires soon')).toEqual([]);
    expect(await scene.readiness()).toBe('ready\n');
    await scene.certificates.issue('short', 3);
    await scene.inspect();
    await scene.inspect();
    expect(scene.logged('expires soon')).toHaveLength(1);
    expect(await scene.readiness()).toMatch(
      /^ready\nThe TLS certificate expires at 2.*Z\. Renew it\.\n$/,
    );
  });

  test('health and the ready file know of it', async () => {
    using folder = temporaryFolder();
    const certificates = new Certificates(folder.path);
    await certificates.issue('first');
    const readyFile = join(folder.path, 'ready.json');
    const settings = { PETSTORE_DATA_DIR: join(folder.path, 'data'), ...certificates.settings };
    await using service = await ServiceProcess.start(settings, ['--ready-file', readyFile]);
    const health = await runCommand(['health', '--wait', '60s', '--ready-file', readyFile], {});
    expect([health.code, health.stderr]).toEqual([0, '']);
    const { addresses } = JSON.parse(readFileSync(readyFile, 'utf8'));
    expect(addresses.production).toBe(`https://localhost:${service.port}/v1`);
    expect((await over(`${addresses.production}/openapi.json`)).status).toBe(200);
    const second = await runCommand(['serve'], {
      ...settings,
      PETSTORE_DATA_DIR: join(folder.path, 'other'),
      PETSTORE_PORT: String(service.port),
      PETSTORE_OPS_PORT: '0',
    });
    expect([second.code, second.stderr]).toEqual([
      2,
      expect.stringContaining('the port is in use'),
    ]);
  });

  test('a start with files that cannot be used fails and says why', async () => {
    using folder = temporaryFolder();
    const certificates = new Certificates(folder.path);
    const one = await certificates.make('one');
    const other = await certificates.make('other');
    const text = join(folder.path, 'text.pem');
    writeFileSync(text, 'no PEM');
    const encrypted = join(folder.path, 'encrypted.pem');
    writeFileSync(encrypted, '-----BEGIN ENCRYPTED PRIVATE KEY-----\n');
    const cases: ReadonlyArray<readonly [cert: string, key: string, problem: RegExp]> = [
      [
        join(folder.path, 'absent.pem'),
        one.key,
        /Cannot read the file of PETSTORE_TLS_CERT: ENOENT/,
      ],
      [text, one.key, /text\.pem holds no certificate in PEM\. Set PETSTORE_TLS_CERT/],
      [one.cert, text, /text\.pem holds no private key in PEM\. Set PETSTORE_TLS_KEY/],
      [one.cert, encrypted, /is encrypted\. Set PETSTORE_TLS_KEY to one without a passphrase/],
      [one.cert, other.key, /does not belong to the first certificate/],
    ];
    for (const [cert, key, problem] of cases) {
      const settings = { PETSTORE_TLS_CERT: cert, PETSTORE_TLS_KEY: key };
      await expect(TestService.start({ settings })).rejects.toThrow(problem);
    }
    const half = TestService.start({ settings: { PETSTORE_TLS_CERT: one.cert } });
    await expect(half).rejects.toThrow('PETSTORE_TLS_CERT and PETSTORE_TLS_KEY go together');
  });
});
