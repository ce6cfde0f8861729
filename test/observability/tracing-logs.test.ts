import { describe, expect, test } from 'bun:test';
import { Collector } from '../support/collector.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { ServiceProcess } from '../support/process.ts';
import { clientOf, onFolder } from '../support/storage.ts';
import { tracedService } from './traced-service.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const DEBUG = { PETSTORE_LOG_LEVEL: 'debug' };

interface Line {
  readonly msg: string;
  readonly level: number;
  readonly path?: string;
  readonly requestId?: string;
  readonly trace_id?: string;
}

async function linesOf(service: ServiceProcess): Promise<Line[]> {
  await service.end('SIGTERM');
  const text = await service.output();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

describe('a line of the log', () => {
  test('about a request names its trace: the one that it came with, or its own', async () => {
    await using it = await tracedService(DEBUG);
    const origin = `http://localhost:${it.service.port}`;
    const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    await Promise.all([
      fetch(`${origin}/v1/pets`, { headers }),
      fetch(`${origin}/v1/nothing`),
      fetch(`${origin}/favicon.ico`),
    ]);
    const lines = (await linesOf(it.service)).filter(({ msg }) => msg === 'request');
    const traces = new Map(lines.map(({ path, trace_id }) => [path, trace_id]));
    const spans = new Map(
      it.collector.spans.map(({ attributes, traceId }) => [attributes['url.path'], traceId]),
    );
    expect([...traces.keys()].sort()).toEqual(['/favicon.ico', '/v1/nothing', '/v1/pets']);
    expect(traces.get('/v1/pets')).toBe(TRACE);
    for (const [path, trace] of traces) expect(trace).toBe(spans.get(path ?? ''));
  });

  test('about a failure does so, too', async () => {
    const wrap = ['bash', '-c', 'trap "" XFSZ; ulimit -S -f 512; exec "$@"', 'bash'];
    await using it = await tracedService({}, new Collector(), wrap);
    const client = clientOf(it.service, it.key);
    const isFailed = ({ attributes }: (typeof it.collector.spans)[number]) =>
      attributes['http.response.status_code'] === 503;
    await eventually(async () => {
      const name = '\u{1f408}'.repeat(250);
      const calls = Array.from({ length: 20 }, () => client.createPet({ name, categoryId: 1 }));
      await Promise.allSettled(calls);
      return it.collector.spans.some(isFailed);
    });
    const [line] = (await linesOf(it.service)).filter(({ requestId }) => requestId !== undefined);
    const failed = it.collector.spans.filter(isFailed);
    expect(failed.map(({ traceId }) => traceId)).toContain(line?.trace_id ?? '');
  });

  test('about no request names none', async () => {
    await using it = await tracedService(DEBUG);
    await fetch(`${it.service.url()}/pets`);
    const others = (await linesOf(it.service)).filter(({ msg }) => msg !== 'request');
    expect(others.length).toBeGreaterThan(0);
    for (const line of others) expect(line).not.toHaveProperty('trace_id');
  });

  test('names none where traces are off', async () => {
    using folder = temporaryFolder();
    await using service = await ServiceProcess.start({ ...onFolder(folder.path), ...DEBUG });
    const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    await fetch(`${service.url()}/pets`, { headers });
    const lines = (await linesOf(service)).filter(({ msg }) => msg === 'request');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toHaveProperty('trace_id');
  });
});
