import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NGINX_CONFIG } from '../../bench/nginx-config.ts';
import packageJson from '../../package.json';
import { PARTS, readConfig, STOP_GRACE } from '../../src/config/config.ts';
import { SECOND } from '../../src/lib/clock.ts';
import { eventually, TestService } from '../support/harness.ts';

const ROOT = join(import.meta.dir, '..', '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

interface ComposeService {
  readonly image: string;
  readonly command?: string | readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly networks: Readonly<Record<string, { readonly ipv4_address?: string }>> | string[];
  readonly healthcheck?: object;
  readonly stop_grace_period?: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

// The shape is defined by Compose; a file of another shape fails the tests below.
const compose = Bun.YAML.parse(read('compose.yaml')) as Compose;
const processes = Object.entries(compose.services).filter(([name]) => name.startsWith('petstore-'));

function addressOf({ networks }: ComposeService): string | undefined {
  return Array.isArray(networks) ? undefined : networks['service']?.ipv4_address;
}

describe('compose.yaml', () => {
  test('runs three equal processes of this release', () => {
    const [first, ...others] = processes.map(([, { networks: _, ...service }]) => service);
    expect(others).toHaveLength(2);
    for (const other of others) expect(other).toEqual(first ?? other);
    expect(first?.image).toBe(`petstore:${packageJson.version}`);
  });

  test('gives them settings that are right, and every address that the public sees', () => {
    const text = JSON.stringify(processes[0]?.[1].environment);
    const filled: Record<string, string> = JSON.parse(
      text
        .replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
        .replaceAll(/\$\{\w+:\?[^}]*\}/g, '0123456789abcdef'.repeat(3)),
    );
    const { database, redis, addresses } = readConfig(filled);
    expect(database?.servers[0]).toStartWith('postgres://petstore:');
    expect(redis?.hosts).toEqual([{ host: 'redis', port: 6379 }]);
    expect(PARTS.map((part) => addresses(0)[part])).toEqual([
      'http://localhost:8080/v1',
      'http://localhost:8080/staging/v1',
      'http://localhost:8080/quickstart',
      'http://localhost:8080',
    ]);
  });

  test('gives them longer to stop than a drain and what is in flight may take', () => {
    for (const [, { environment, stop_grace_period: patience = '' }] of processes) {
      const drain = Number(environment?.['PETSTORE_DRAIN_SECONDS']);
      expect(drain).toBeGreaterThan(0);
      expect(Number.parseInt(patience, 10) * SECOND).toBeGreaterThan(drain * SECOND + STOP_GRACE);
    }
  });

  test('has them trust the proxy alone, which passes on to each of them', () => {
    const { proxy } = compose.services;
    if (!proxy) throw new Error('There is no proxy.');
    for (const [, { environment }] of processes) {
      expect(environment?.['PETSTORE_TRUSTED_PROXIES']).toBe(addressOf(proxy) ?? '');
    }
    const servers = readFileSync(NGINX_CONFIG, 'utf8').matchAll(/server ([\d.]+:\d+) /g);
    expect(Array.from(servers, ([, server]) => server)).toEqual(
      processes.map(([, service]) => `${addressOf(service)}:3000`),
    );
  });

  test.each(Object.entries(compose.services))(
    'keeps %s in bounds, and knows its health',
    (_, it) => {
      expect(it).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        logging: { options: { 'max-size': '10m', 'max-file': '3' } },
      });
      expect(it.healthcheck).toBeDefined();
      expect(it.image).toMatch(/:v?\d+/);
    },
  );

  test('mounts what is there', () => {
    const mounts = Object.values(compose.services).flatMap(({ volumes }) => volumes ?? []);
    const sources = mounts.map((mount) => mount.split(':')[0] ?? '');
    expect(sources.length).toBeGreaterThan(5);
    const missing = sources.filter((source) =>
      source.startsWith('./')
        ? !existsSync(join(ROOT, source))
        : !Object.hasOwn(compose.volumes, source),
    );
    expect(missing).toEqual([]);
  });

  test('takes its passwords from .env, whose example has every name and no secret', () => {
    const asked = [...read('compose.yaml').matchAll(/(?<!\$)\$\{(\w+)(:[?-])/g)];
    const example = [...read('.env.example').matchAll(/^(\w+)=(.*)$/gm)];
    // Those in comments have a default.
    const optional = read('.env.example').matchAll(/^# (\w+)=$/gm);
    const names = [...example, ...optional].map(([, name]) => name ?? '');
    expect([...new Set(asked.map(([, name]) => name ?? ''))].sort()).toEqual(names.sort());
    const needed = new Set(asked.filter(([, , kind]) => kind === ':?').map(([, name]) => name));
    const empty = example.filter(([, , value]) => value === '').map(([, name]) => name);
    expect(new Set(empty)).toEqual(needed);
  });

  test('takes no name from .env that a service started here would read as its own', () => {
    expect(read('.env.example')).not.toMatch(/^PETSTORE_/m);
  });
});

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number };
  readonly datasource?: { readonly uid: string };
  readonly targets?: ReadonlyArray<{ readonly expr: string }>;
}

interface GrafanaDashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: ReadonlyArray<{ readonly definition: string }> };
}

const DASHBOARDS = 'deploy/grafana/dashboards';
const dashboards = readdirSync(join(ROOT, DASHBOARDS)).map(
  (file): GrafanaDashboard => JSON.parse(read(`${DASHBOARDS}/${file}`)),
);
const panels = dashboards.flatMap((dashboard) => dashboard.panels);

interface Rules {
  readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<{ readonly expr: string }> }>;
}

/** Every Prometheus query of the dashboards and alerts. */
function expressions(): string[] {
  const rules = Bun.YAML.parse(read('deploy/prometheus/alerts.yml')) as Rules;
  return [
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...dashboards.flatMap(({ templating }) => templating.list.map((list) => list.definition)),
    ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
  ];
}

/** The names of the series and labels in the metrics of a service that has been used. */
async function scrape() {
  await using service = await TestService.start({
    parts: PARTS,
    settings: { PETSTORE_BAN_AFTER: '1' },
  });
  const { secret } = await service.account();
  await service.post(secret, { name: 'Biscuit', categoryId: 7 });
  const collect = async () => await (await fetch(`${service.opsUrl}/metrics`)).text();
  await eventually(async () => (await collect()).includes('petstore_commit_batch_size_bucket{'));
  const text = await collect();
  const typed = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  const series = typed.flatMap(([, name = '', kind]) =>
    kind === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  );
  const labels = [...text.matchAll(/[{,](\w+)="/g)].map(([, label = '']) => label);
  return { series: new Set(series), labels: new Set(labels) };
}

describe('the Prometheus configuration', () => {
  test('names only metrics and labels that the service has', async () => {
    const { series, labels } = await scrape();
    const asked = expressions();
    expect(asked.length).toBeGreaterThan(30);
    const names = asked.flatMap((expr) => expr.match(/\b(?:petstore|process)_\w+/g) ?? []);
    expect(new Set(names).difference(series)).toEqual(new Set());
    // Prometheus adds the first two; bans, which are absent from the scrape, have an environment.
    const known = labels.union(new Set(['job', 'instance', 'environment']));
    const grouped = asked.flatMap((expr) =>
      [...expr.matchAll(/\bby \(([^)]+)\)/g)].flatMap(([, list = '']) => list.split(/, */)),
    );
    const selected = asked.flatMap((expr) =>
      [...expr.matchAll(/[{,]\s*(\w+)=~?"/g)].map(([, label = '']) => label),
    );
    expect(new Set([...grouped, ...selected]).difference(known)).toEqual(new Set());
  });

  test('scrapes every process, on the ops port', () => {
    const targets = [...read('deploy/prometheus/prometheus.yml').matchAll(/"(petstore-\d):3001"/g)];
    expect(targets.map(([, name]) => name)).toEqual(processes.map(([name]) => name));
  });
});

describe('the dashboard in Grafana', () => {
  test('shows what operators look for', () => {
    const asked = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n');
    for (const name of [
      'petstore_request_duration_seconds_count',
      'petstore_request_duration_seconds_bucket',
      'petstore_quota_decisions_total',
      'petstore_bans_total',
      'petstore_sign_ins_total',
      'petstore_dashboard_refusals_total',
      'petstore_writes_waiting',
      'petstore_messages_queued',
      'petstore_commit_batch_size_bucket',
      'petstore_commit_duration_seconds_bucket',
      'petstore_commit_failures_total',
      'petstore_redis_duration_seconds_bucket',
      'petstore_redis_errors_total',
      'petstore_event_loop_lag_seconds_bucket',
    ]) {
      expect(asked).toContain(name);
    }
  });

  test('asks the data source that is provisioned, in panels that do not overlap', () => {
    const uid = /uid: (\w+)/.exec(read('deploy/grafana/provisioning/datasources/prometheus.yml'));
    const sources = panels.flatMap(({ datasource }) => datasource?.uid ?? []);
    expect(new Set(sources)).toEqual(new Set([uid?.[1] ?? '']));
    const corners = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    expect(new Set(corners).size).toBe(panels.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
  });
});
