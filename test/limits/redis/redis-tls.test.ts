import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/harness.ts';
import { runCommand, ServiceProcess } from '../../support/process.ts';
import { hasRedis, RedisServer } from '../../support/redis-server.ts';

const OPENSSL = Bun.which('openssl');
if (OPENSSL === null) console.warn('Tests of rediss:// are skipped: install openssl to run them.');

describe.skipIf(!hasRedis || OPENSSL === null)('a service whose Redis uses TLS', () => {
  test('counts in Redis if it trusts the certificate', async () => {
    await using it = await redisWithTls();
    await using service = await ServiceProcess.start({
      ...it.settings,
      NODE_EXTRA_CA_CERTS: it.certificate,
    });
    expect(await it.list(service)).toBe(200);
    expect(await it.counted()).toBe(1);
    expect(await service.end('SIGTERM')).toBe(0);
    expect(await service.output()).not.toContain('Redis cannot be reached');
  });

  test('sends nothing if it does not trust the certificate, logs that, and answers', async () => {
    await using it = await redisWithTls();
    await using service = await ServiceProcess.start(it.settings);
    expect(await it.list(service)).toBe(200);
    expect(await it.counted()).toBe(0);
    expect(await service.end('SIGTERM')).toBe(0);
    expect(await service.output()).toContain('Redis cannot be reached');
  });
});

/** A Redis with a TLS port and a plain port, from which tests read, and a folder with one key. */
async function redisWithTls() {
  const resources = new AsyncDisposableStack();
  const folder = resources.use(temporaryFolder());
  const { certificate, key } = await makeCertificate(folder.path);
  const port = await freePort();
  const redis = resources.use(
    await RedisServer.start([
      ...['--tls-port', String(port), '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate],
    ]),
  );
  const settings = {
    PETSTORE_DATA_DIR: join(folder.path, 'data'),
    PETSTORE_REDIS_URL: `rediss://127.0.0.1:${port}`,
  };
  await runCommand(['accounts', 'create', 'ada@example.com'], settings);
  const made = await runCommand(['keys', 'create', 'ada@example.com'], settings);
  const secret = /pst_\w+/.exec(made.stdout)?.[0] ?? '';
  return {
    certificate,
    settings,
    async list(service: ServiceProcess) {
      const headers = { Authorization: `Bearer ${secret}` };
      return (await fetch(`${service.url()}/pets`, { headers })).status;
    },
    /** The number of accounts with counts in Redis. */
    async counted() {
      using client = redis.client();
      return (await client.redis.keys('petstore:{production:account:*')).length;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** A self-signed certificate for this machine, valid for a day. */
async function makeCertificate(folder: string) {
  const certificate = join(folder, 'certificate.pem');
  const key = join(folder, 'key.pem');
  const made = Bun.spawn(
    [
      ...[OPENSSL ?? 'openssl', 'req', '-x509', '-nodes', '-days', '1', '-subj', '/CN=localhost'],
      ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
      ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate],
    ],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
  );
  expect(await made.exited).toBe(0);
  return { certificate, key };
}
