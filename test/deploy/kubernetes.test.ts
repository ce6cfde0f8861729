import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { SECOND } from '../../src/lib/clock.ts';
import { TestService } from '../support/harness.ts';

const FOLDER = join(import.meta.dir, '..', '..', 'deploy', 'kubernetes');
const PAGE = readFileSync(join(import.meta.dir, '..', '..', 'docs', 'deploy.md'), 'utf8');

/** The parts of the manifests that the tests read; `npm run check:deploy` validates all of them. */
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data: Readonly<Record<string, string>>;
  readonly resources: readonly string[];
  readonly spec: {
    readonly replicas: number;
    readonly maxUnavailable: number;
    readonly ipFamilyPolicy?: string;
    readonly selector: Readonly<Record<string, unknown>>;
    readonly ports: ReadonlyArray<{ readonly targetPort: string }>;
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly enableServiceLinks: boolean;
        readonly containers: readonly [Container];
      };
    };
  };
}

interface Container {
  readonly envFrom: ReadonlyArray<Record<string, { readonly name: string }>>;
  readonly ports: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>;
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

function read(name: string): Manifest {
  const parsed = Bun.YAML.parse(readFileSync(join(FOLDER, name), 'utf8'));
  return JSON.parse(JSON.stringify(parsed));
}

const settings = read('settings.yaml');
const { spec } = read('deployment.yaml');
const pod = spec.template.spec;
const [container] = pod.containers;

describe('the Kubernetes manifests', () => {
  test('belong together', () => {
    const { labels } = spec.template.metadata;
    const files = readdirSync(FOLDER).filter((name) => name !== 'kustomization.yaml');
    const budget = read('pod-disruption-budget.yaml').spec;

    expect(read('kustomization.yaml').resources.toSorted()).toEqual(files.sort());
    expect([spec.selector, budget.selector]).toEqual([
      { matchLabels: labels },
      { matchLabels: labels },
    ]);
    expect(budget.maxUnavailable).toBeLessThan(spec.replicas);
    const service = read('service.yaml').spec;
    expect(service.selector).toEqual(labels);
    expect(container.ports.map(({ name }) => name)).toContain(service.ports[0]?.targetPort ?? '');
    expect(container.envFrom.map((source) => Object.values(source)[0]?.name)).toEqual([
      settings.metadata.name,
      'petstore',
    ]);
  });

  test('have settings with which the service starts, beside the secret of the documentation', () => {
    const secret = [...PAGE.matchAll(/--from-literal=(PETSTORE_\w+)=(\S+)/g)].map(
      ([, name = '', value = '']) => [name, value.startsWith('"$(') ? 's'.repeat(64) : value],
    );
    expect(secret.map(([name]) => name)).toEqual([
      'PETSTORE_DATABASE_URL',
      'PETSTORE_REDIS_URL',
      'PETSTORE_SECRET',
    ]);
    const config = readConfig({ ...settings.data, ...Object.fromEntries(secret) });
    expect(config.addresses(3_000).production).toBe('https://petstore.example.com/v1');
    expect(config.database).toBeDefined();
    // The drain, plus the timeouts for requests in flight and for a database that does not respond.
    const longestStop = config.drainFor / SECOND + 10 + 12;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(longestStop);
  });

  test('listen on both families, as the image does, and get an address of each', () => {
    const { host, opsHost, trustedProxies } = readConfig(settings.data);
    expect([host, opsHost]).toEqual(['::', '::']);
    expect(new Set(trustedProxies.map(({ first }) => first.kind()))).toEqual(
      new Set(['ipv4', 'ipv6']),
    );
    expect(read('service.yaml').spec.ipFamilyPolicy).toBe('PreferDualStack');
    const image = readFileSync(join(import.meta.dir, '..', '..', 'Dockerfile'), 'utf8');
    expect(image).toMatch(/^ENV PETSTORE_HOST=:: PETSTORE_OPS_HOST=:: /m);
  });

  test('switch off the variables of services, which look like settings', () => {
    expect(pod.enableServiceLinks).toBe(false);
  });

  test('have probes that a service answers', async () => {
    await using service = await TestService.start();
    const { startupProbe, readinessProbe, livenessProbe } = container;
    for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe]) {
      expect(httpGet.port).toBe('ops');
      expect((await fetch(service.opsUrl + httpGet.path)).status).toBe(200);
    }
  });
});
