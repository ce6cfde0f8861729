import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..', '..');

/** Files that run before the ports open, so no request waits for what they import. */
const BEFORE_THE_PORTS = [
  'src/cli/run.ts',
  'src/cli/program.ts',
  'src/cli/serve.ts',
  'src/jobs/tls.ts',
  'src/limits/open-redis.ts',
  'src/observability/line-writer.ts',
  'src/observability/tracing.ts',
  'src/storage/open-stores.ts',
];

/** Commands other than `serve`, throwaway services, and scripts of the pages. */
const NOT_SERVED = /^src\/(?:cli|grade|throwaway|storage\/backup|dashboard\/web)\//;

/** The dashboard is declared by the service that serves it. */
const DECLARED_BY_THE_SERVICE = 'src/dashboard/lazy-dashboard.ts';

test('all code that requests can reach is imported at the start or declared as lazy', () => {
  const files = [...new Bun.Glob('src/**/*.{ts,tsx}').scanSync(ROOT)].sort();
  const undeclared = files
    .filter((file) => !NOT_SERVED.test(file) && !BEFORE_THE_PORTS.includes(file))
    .filter((file) => file !== DECLARED_BY_THE_SERVICE)
    .filter((file) => importsOutsideOfLazy(readFileSync(join(ROOT, file), 'utf8')) > 0);
  expect(undeclared).toEqual([]);
});

test('the dashboard is declared as a part of its service', () => {
  const text = readFileSync(join(ROOT, DECLARED_BY_THE_SERVICE), 'utf8');
  expect(text.match(/\bimport\('/g)).toHaveLength(1);
  expect(text).toMatch(/parts\.add\(async \(\) => \{[\s\S]{0,200}import\('\.\/dashboard\.ts'\)/);
});

/** How many dynamic imports are not within a call of `lazyImport`. */
function importsOutsideOfLazy(source: string): number {
  const code = source.replaceAll(/\blazyImport\(async \(\) => \{[\s\S]*?\n\}\);/g, '');
  const rest = code.replaceAll(
    /\blazyImport\(\(\) =>\s*(?:Promise\.all\(\[.*\]\)|import\('[^']+'\)),?\s*\)/g,
    '',
  );
  return rest.match(/(?<!typeof )\bimport\('/g)?.length ?? 0;
}
