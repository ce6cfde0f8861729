import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dir, '..', '..');
const MAX_FILE_LINES = 300;

/** More areas than this are easier to find one level deeper. */
const MAX_TEST_FOLDERS = 25;

/** `as` and a type; in prose, the word after "as" has a small initial letter. */
const ASSERTION =
  /(?<!import \*)\sas (?:[{[(]|[A-Z]\w*(?![\w-])|(?:any|unknown|never|object|string|number|bigint|boolean|symbol|typeof|keyof|readonly)\b)/;

/** The folders of src from which each folder may import, other than itself, innermost first. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  core: ['lib'],
  config: ['lib', 'core'],
  http: ['lib', 'core'],
  storage: ['lib', 'core', 'config'],
  observability: ['lib', 'core', 'config', 'http', 'storage'],
  limits: ['lib', 'core', 'config', 'storage', 'observability'],
  jobs: ['lib', 'core', 'config', 'http', 'storage', 'observability', 'limits'],
  api: ['lib', 'core', 'config', 'http', 'storage'],
  throwaway: ['lib', 'core', 'config', 'http', 'storage', 'api'],
  grade: ['lib', 'core', 'config', 'http'],
  mcp: ['lib', 'core', 'http', 'api'],
  dashboard: ['lib', 'core', 'http', 'api', 'mcp'],
  'app.ts': [
    ...['lib', 'core', 'config', 'http', 'storage', 'observability', 'limits', 'jobs', 'api'],
    'dashboard',
  ],
  cli: [
    ...['lib', 'core', 'config', 'storage', 'observability', 'limits', 'api', 'mcp', 'dashboard'],
    ...['throwaway', 'grade', 'app.ts'],
  ],
  'main.ts': ['cli'],
};

/** The entry points of the source; each test is an entry point as well. */
const ENTRIES = [
  'src/main.ts',
  'client/src/index.ts',
  'testing/src/index.ts',
  // Bundled for browsers.
  'src/dashboard/web/main.tsx',
  'src/dashboard/web/reference/reference.ts',
  'src/dashboard/web/theme-first.ts',
  // Bundled and run with the pages.
  'src/dashboard/web/rendered/rendered.tsx',
  // Run by the service, as a process.
  'src/dashboard/pages/bundle-program.ts',
  'build/main.ts',
  // Run by `npm run guides`.
  'build/guides.ts',
  // Run by `npm run docs`.
  'build/docs.ts',
  // Run by `npm run icons`.
  'build/icons.ts',
  // Run by npm before it packs.
  'build/package.ts',
  // Run by `npm test`.
  'test/all.ts',
  // Run by `npm run test:quick`.
  'test/quick.ts',
  // Run by hand, to renew the screenshots of the documentation.
  'test/web/screenshots.ts',
  // Run by `npm run walk`.
  'test/walk/main.ts',
  // Run by `npm run lighthouse`.
  'test/web/lighthouse.ts',
  // Run by `npm run lighthouse:desktop`.
  'test/web/lighthouse-desktop.ts',
  // Run by hand, with a container engine.
  'test/deploy/containers.ts',
  'test/http/mocks.ts',
  // Run by `npm run citus`.
  'test/citus/main.ts',
  'test/citus/service.ts',
  'test/citus/lost-worker.ts',
  // Run by `npm run installed-size`.
  'test/testing/installed-size.ts',
  // Run by `npm run check:testing`.
  'test/testing/runners.ts',
  'test/contract/generators/main.ts',
  'test/contract/linters.ts',
  'test/contract/schemathesis.ts',
  // Run by `npm run check:deploy`.
  'test/deploy/formats.ts',
  // Run together with generated clients.
  ...['hey-api', 'openapi-fetch', 'openapi-generator-typescript-fetch'].map(
    (name) => `test/contract/generators/programs/${name}/scenario.ts`,
  ),
  // Run by `petstore grade`, as its client.
  'test/testing/bad-client.ts',
  // A thread.
  'test/sign-in/rating-thread-double.ts',
  // Preloaded into a service.
  'test/service/loaded-teller.ts',
  'test/service/watched-service.ts',
];

const files = [
  ...new Bun.Glob('{src,build,client,testing,test,bench}/**/*.{ts,tsx}').scanSync(ROOT),
]
  .filter((file) => !/node_modules|dist\/|\.d\.ts$/.test(file))
  .sort();
const texts = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));

describe('the import arrows', () => {
  test('every folder and file of src has its place in the plan', () => {
    const parts = new Set(files.filter((file) => file.startsWith('src/')).map(part));
    expect([...parts].filter((name) => !Object.hasOwn(ARROWS, name))).toEqual([]);
  });

  test('point inwards', () => {
    const wrong = files
      .filter((file) => file.startsWith('src/'))
      .flatMap((file) => localImports(file).map((target) => [file, target] as const))
      .filter(([file, target]) => !isAllowed(file, target))
      .map(([file, target]) => `${file} imports ${target}`);
    expect(wrong).toEqual([]);
  });

  test('form no circle between files', () => {
    expect(
      circles(files.filter((file) => /^(src|client|testing|build|bench)\//.test(file))),
    ).toEqual([]);
  });

  test('the client depends on nothing outside of itself', () => {
    const foreign = files
      .filter((file) => file.startsWith('client/src/'))
      .flatMap((file) => imports(file).filter((target) => !target.startsWith('./')));
    expect(foreign).toEqual([]);
  });

  test('the environment is read in config/process-environment.ts alone', () => {
    const readers = files.filter(
      (file) =>
        /^src\/(?!dashboard\/web\/)/.test(file) && /\b(process|Bun)\.env\b/.test(code(file)),
    );
    expect(readers).toEqual(['src/config/process-environment.ts']);
  });

  test("the machine's clock is read in lib/clock.ts alone, and by the dashboard in the browser", () => {
    const readers = files.filter(
      (file) =>
        /^src\/(?!dashboard\/web\/)/.test(file) &&
        /\bDate\.now\b|\bnew Date\(\s*\)|\bnew Date\b(?!\()|\bperformance\.now\b/.test(code(file)),
    );
    expect(readers).toEqual(['src/lib/clock.ts']);
  });
});

describe('sizes', () => {
  test(`no file has more than ${MAX_FILE_LINES} lines`, () => {
    const long = files.filter((file) => text(file).split('\n').length - 1 > MAX_FILE_LINES);
    expect(long).toEqual([]);
  });

  test(`test has at most ${MAX_TEST_FOLDERS} files and folders`, () => {
    expect(readdirSync(join(ROOT, 'test')).length).toBeLessThanOrEqual(MAX_TEST_FOLDERS);
  });

  test('no function has more than 50 lines', async () => {
    const biome = join(ROOT, 'node_modules/.bin/biome');
    const rule = '--only=complexity/noExcessiveLinesPerFunction';
    const child = Bun.spawn(
      [biome, 'lint', rule, '--reporter=github', 'src', 'build', 'client/src', 'bench'],
      {
        cwd: ROOT,
        stdout: 'pipe',
        stderr: 'ignore',
      },
    );
    const report = await new Response(child.stdout).text();
    expect(report.split('\n').filter((line) => line.startsWith('::'))).toEqual([]);
    expect(await child.exited).toBe(0);
  }, 180_000);
});

describe('nothing is left lying about', () => {
  test('every source file is reached from an entry, every test helper from a test', () => {
    const tests = files.filter((file) => /\.test\.tsx?$|^bench\//.test(file));
    const reached = new Set<string>();
    const pending = [...ENTRIES, ...tests];
    for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
      if (reached.has(file)) continue;
      reached.add(file);
      pending.push(...localImports(file), ...workers(file));
    }
    expect(files.filter((file) => !reached.has(file))).toEqual([]);
  });

  test('what runs in a thread is called so, for the build to find it, and like nothing else', () => {
    const sources = files.filter((file) => file.startsWith('src/'));
    const built = sources.filter((file) => file.endsWith('-thread.ts'));
    expect([...new Set(sources.flatMap(workers))].sort()).toEqual(built);
    expect(new Set(built.map((file) => basename(file))).size).toBe(built.length);
  });

  test('no markers of unfinished work, no machine paths', () => {
    const marked = files.filter((file) =>
      /\b(TODO|FIXME|XXX|HACK)\b|\/work\/|\/root\//.test(
        file === 'test/project/tidy.test.ts' ? '' : text(file),
      ),
    );
    expect(marked).toEqual([]);
  });

  test('a type assertion says why on the line above it', () => {
    const bare = files
      .filter((file) => /^(src|client\/src)\//.test(file))
      .flatMap((file) => assertions(file));
    expect(bare).toEqual([]);
  });
});

function text(file: string): string {
  const found = texts.get(file);
  if (found === undefined) throw new Error(`${file} was not scanned`);
  return found;
}

/** The text without its comments and quoted strings. */
function code(file: string): string {
  return text(file)
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/'[^'\n]*'/g, "''");
}

/** The folder below src, or the file itself when it lies in src. */
function part(file: string): string {
  return file.split('/')[1] ?? file;
}

function isAllowed(file: string, target: string): boolean {
  if (!target.startsWith('src/')) return false;
  return part(file) === part(target) || (ARROWS[part(file)] ?? []).includes(part(target));
}

function imports(file: string): string[] {
  const found = text(file).matchAll(/\b(?:from|import) '([^']+)'|\bimport\('([^']+)'\)/g);
  return Array.from(found, ([, named, dynamic]) => named ?? dynamic ?? '');
}

function localImports(file: string): string[] {
  return imports(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => relative(ROOT, join(ROOT, dirname(file), target)))
    .filter((target) => /\.tsx?$/.test(target) && existsSync(join(ROOT, target)));
}

/** Groups of files that import one another, directly or through others (Tarjan's algorithm). */
function circles(members: readonly string[]): string[][] {
  const order = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): number => {
    const number = order.size;
    order.set(file, number);
    stack.push(file);
    let low = number;
    for (const target of localImports(file)) {
      const known = order.get(target);
      if (known === undefined) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, known);
    }
    if (low === number) {
      const group = stack.splice(stack.indexOf(file));
      if (group.length > 1 || localImports(file).includes(file)) found.push(group.sort());
    }
    return low;
  };
  for (const file of members) if (!order.has(file)) visit(file);
  return found;
}

/** Files that run in their own thread. */
function workers(file: string): string[] {
  return [...text(file).matchAll(/new Worker\((?:entryPoint|new URL)\('([^']+)'/g)].map((match) =>
    join(dirname(file), match[1] ?? ''),
  );
}

function assertions(file: string): string[] {
  const lines = text(file).split('\n');
  return lines.flatMap((line, index) => {
    const asserts = ASSERTION.test(line) && !/^\s*(\*|\/\/|\/\*)/.test(line);
    const explained = /\/\/|\*\//.test(lines[index - 1] ?? '');
    const renamed = /^\s*(import|export)\b/.test(line);
    const inText = /['"`].* as .*['"`]/.test(line);
    return asserts && !explained && !renamed && !inText
      ? [`${file}:${index + 1} ${line.trim()}`]
      : [];
  });
}
