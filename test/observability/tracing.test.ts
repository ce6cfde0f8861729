import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { Collector } from '../support/collector.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { cleanEnvironment } from '../support/process.ts';
import { hasRedis, RedisServer } from '../support/redis-server.ts';
import { clientOf, onFolder } from '../support/storage.ts';
import { Certificates, hasOpenssl } from '../support/tls-certificates.ts';
import { tracedService } from './traced-service.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const SERVER = 2;
const FAILED = 2;

describe('a request, where the variables of OpenTelemetry are set,', () => {
  test('is a span named by its method and route, with what it was and what came of it', async () => {
    await using it = await tracedService({ OTEL_SERVICE_NAME: 'animals' });
    const headers = { Authorization: `Bearer ${it.key}`, 'X-Request-Id': 'request-1' };
    await fetch(`${it.service.url()}/pets/7?secret=1`, { headers });
    await eventually(() => it.collector.find('GET /v1/pets/{petId}') !== undefined);
    expect(it.collector.find('GET /v1/pets/{petId}')).toMatchObject({
      kind: SERVER,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/pets/{petId}',
        'http.response.status_code': 404,
        'url.path': '/v1/pets/7',
        'url.scheme': 'http',
        'server.address': 'localhost',
        'server.port': it.service.port,
        'petstore.request_id': 'request-1',
      },
    });
    expect(it.collector.received).not.toContain('secret');
    expect(it.collector.path).toBe('/v1/traces');
    expect(it.collector.resource).toMatchObject({
      'service.name': 'animals',
      'service.version': '1.0.0',
      'telemetry.sdk.language': 'nodejs',
    });
  });

  test.skipIf(!hasOpenssl)('says that it came over TLS', async () => {
    using folder = temporaryFolder();
    const certificates = new Certificates(folder.path);
    await certificates.issue('first', 90);
    await using it = await tracedService(certificates.settings);
    await fetch(`https://localhost:${it.service.port}/v1/pets`, {
      tls: { rejectUnauthorized: false },
    });
    await eventually(() => it.collector.find('GET /v1/pets') !== undefined);
    const { attributes } = it.collector.find('GET /v1/pets') ?? {};
    expect(attributes?.['url.scheme']).toBe('https');
  });

  test('belongs to the trace that it says, and what it asks of the store to it', async () => {
    await using it = await tracedService();
    await fetch(`${it.service.url()}/pets`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${it.key}`,
        'Content-Type': 'application/json',
        traceparent: `00-${TRACE}-${PARENT}-01`,
        tracestate: 'vendor=never-sent-on',
      },
      body: JSON.stringify({ name: 'Biscuit', categoryId: 7 }),
    });
    await eventually(() => it.collector.find('POST /v1/pets') !== undefined);
    const request = it.collector.find('POST /v1/pets');
    expect(request).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
    expect(it.collector.find('PetStore.create')).toMatchObject({
      traceId: TRACE,
      parentSpanId: request?.spanId,
      attributes: { 'db.system.name': 'sqlite' },
    });
    expect(it.collector.received).not.toContain('never-sent-on');
  });

  test.if(hasRedis)('shows the time that Redis took', async () => {
    await using redis = await RedisServer.start();
    await using it = await tracedService(redis.settings);
    await clientOf(it.service, it.key).listPets();
    await eventually(() => it.collector.find('GET /v1/pets') !== undefined);
    expect(it.collector.find('Limiter.take')).toMatchObject({
      parentSpanId: it.collector.find('GET /v1/pets')?.spanId,
      attributes: { 'db.system.name': 'redis' },
    });
  });

  test('that cannot be carried out is a failure, by its status and the kind of the error', async () => {
    const wrap = ['bash', '-c', 'trap "" XFSZ; ulimit -S -f 512; exec "$@"', 'bash'];
    await using it = await tracedService({}, new Collector(), wrap);
    const client = clientOf(it.service, it.key);
    const failed = () =>
      it.collector.spans.find(({ name, status }) => name === 'POST /v1/pets' && status === FAILED);
    await eventually(async () => {
      const name = '\u{1f408}'.repeat(250);
      const calls = Array.from({ length: 20 }, () => client.createPet({ name, categoryId: 1 }));
      await Promise.allSettled(calls);
      return failed() !== undefined;
    });
    const { spanId, attributes } = failed() ?? {};
    expect(attributes).toMatchObject({ 'http.response.status_code': 503, 'error.type': '503' });
    expect(it.collector.spans.find(({ parentSpanId }) => parentSpanId === spanId)).toMatchObject({
      name: 'PetStore.create',
      attributes: { 'error.type': 'unavailable' },
      status: FAILED,
    });
  });

  test('outside of the API has its method as its name', async () => {
    await using it = await tracedService();
    await fetch(`http://localhost:${it.service.port}/favicon.ico`);
    await fetch(`${it.service.url()}/nothing`);
    await eventually(() => it.collector.spans.length === 2);
    expect(it.collector.spans.map(({ name }) => name)).toEqual(['GET', 'GET']);
    expect(it.collector.spans.map(({ attributes }) => attributes['http.route'])).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('without a sound Host is a span, too', async () => {
    await using it = await tracedService();
    await fetch(`${it.service.url()}/pets`, { headers: { Host: 'a b' } });
    await eventually(() => it.collector.spans.length === 1);
    const [span] = it.collector.spans;
    expect(span?.attributes['http.response.status_code']).toBe(400);
    expect(span?.attributes['server.address']).toBeUndefined();
    expect(span?.status).not.toBe(FAILED);
  });
});

describe('the sampler', () => {
  test('is the one that is set, and heeds what the caller decided', async () => {
    await using it = await tracedService({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' });
    const ask = (flags: string) => {
      const headers = { traceparent: `00-${TRACE}-${PARENT}-${flags}` };
      return fetch(`${it.service.url()}/pets`, { headers });
    };
    await fetch(`${it.service.url()}/pets`);
    await ask('00');
    await ask('01');
    await it.service.end('SIGTERM');
    expect(it.collector.spans.map(({ traceId }) => traceId)).toEqual([TRACE]);
  });
});

describe('a stop', () => {
  test('sends the last spans, with the headers that are set', async () => {
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20for-the-collector' };
    await using it = await tracedService({ ...headers, OTEL_BSP_SCHEDULE_DELAY: '3600000' });
    await fetch(`${it.service.url()}/pets`);
    expect(it.collector.spans).toEqual([]);
    expect(await it.service.end('SIGTERM')).toBe(0);
    expect(it.collector.find('GET /v1/pets')).toBeDefined();
    expect(it.collector.headers.get('Authorization')).toBe('Bearer for-the-collector');
  });
});

describe('a collector that', () => {
  test('never answers delays neither a request nor the stop, and is logged', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<Response>();
    // Everything that waits for the collector would wait longer than the timeout of this test.
    const patient = { OTEL_EXPORTER_OTLP_TIMEOUT: '3600000' };
    await using it = await tracedService(patient, new Collector(() => released));
    const client = clientOf(it.service, it.key);
    for (let count = 0; count < 20; count += 1) await client.listPets();
    await eventually(() => it.collector.path !== '');
    await client.createPet({ name: 'Biscuit', categoryId: 7 });
    expect(await it.service.end('SIGTERM')).toBe(0);
    release(Response.json({}));
    expect(await it.service.output()).toContain('traces cannot be sent');
  });

  test('is unreachable affects no request and is logged, without the headers', async () => {
    const closed = new Collector();
    closed[Symbol.dispose]();
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=for-the-collector' };
    await using it = await tracedService(headers, closed);
    const client = clientOf(it.service, it.key);
    await client.createPet({ name: 'Biscuit', categoryId: 7 });
    expect((await client.listPets()).pets).toHaveLength(1);
    expect(await it.service.end('SIGTERM')).toBe(0);
    const output = await it.service.output();
    expect(output).toContain('traces cannot be sent');
    expect(output).not.toContain('for-the-collector');
  });
});

describe('without the variables', () => {
  test.each([
    ['none', {}, false],
    ['an address', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
  ])(
    "neither a start nor a request loads OpenTelemetry's SDK: %s",
    async (_, settings, isLoaded) => {
      using folder = temporaryFolder();
      const script = `
      const { startService } = await import(${JSON.stringify(join(import.meta.dir, '../../src/app.ts'))});
      const { readConfig, PARTS } = await import(${JSON.stringify(join(import.meta.dir, '../../src/config/config.ts'))});
      const { systemClock } = await import(${JSON.stringify(join(import.meta.dir, '../../src/lib/clock.ts'))});
      const { timerScheduler } = await import(${JSON.stringify(join(import.meta.dir, '../../src/lib/scheduler.ts'))});
      const { createLog } = await import(${JSON.stringify(join(import.meta.dir, '../../src/observability/log.ts'))});
      const parts = PARTS.filter((part) => part !== 'dashboard');
      const service = await startService(readConfig(), {
        clock: systemClock, scheduler: timerScheduler, log: createLog('silent'), parts, isPublic: false,
      });
      await fetch(service.addresses.production + '/pets');
      const loaded = Object.keys(require.cache);
      console.log(JSON.stringify({
        all: loaded.length,
        telemetry: loaded.filter((path) => path.includes('@opentelemetry/sdk')),
      }));
      process.exit(0);
    `;
      const child = Bun.spawn([process.execPath, '-e', script], {
        env: cleanEnvironment({
          ...onFolder(folder.path),
          PETSTORE_PORT: '0',
          ...settings,
        }),
        stdout: 'pipe',
      });
      const { all, telemetry } = JSON.parse(await new Response(child.stdout).text());
      await child.exited;
      expect(all).toBeGreaterThan(50);
      expect(telemetry.length > 0).toBe(isLoaded);
    },
  );

  test.each([
    [{}, false],
    [{ OTEL_SERVICE_NAME: 'animals' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/v1/traces' }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_SDK_DISABLED: 'true' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
  ])('%j: %p', (variables, expected) => {
    expect(readConfig(variables).tracing).toBe(expected);
  });

  test('unsupported settings are reported all at once, and no password is repeated', () => {
    const read = () =>
      readConfig({
        PETSTORE_PORT: 'x',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'me:hunter2@collector',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      });
    expect(read).toThrow(
      [
        'PETSTORE_PORT must be a whole number from 0 to 65535, not "x".',
        'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address, such as http://localhost:4318.',
        'OTEL_EXPORTER_OTLP_PROTOCOL must be http/json: traces are sent in no other way.',
      ].join('\n'),
    );
  });
});
