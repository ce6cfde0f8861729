import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../support/harness.ts';
import { ServiceProcess } from '../support/process.ts';

const ROOT = join(import.meta.dir, '..', '..');
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');

/** The paths that the Dockerfile copies into the build. */
const COPIED = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) =>
  (match[1] ?? '').split(' '),
);

const IN_NAMESPACES = ['unshare', '--user', '--map-root-user', '--mount'];
const hasNamespaces =
  Bun.which('unshare') !== null && Bun.spawnSync([...IN_NAMESPACES, 'true']).exitCode === 0;
if (!hasNamespaces) {
  console.warn('The test of a read-only root is skipped: user namespaces are not allowed here.');
}

/** A folder with only the copied files, in which the executable is built. */
const source = temporaryFolder(tmpdir());
const executable = join(source.path, 'dist/petstore');
let build: Bun.ReadableSubprocess;

beforeAll(async () => {
  for (const path of COPIED) cpSync(join(ROOT, path), join(source.path, path), { recursive: true });
  // In the Dockerfile, `npm ci` has installed it by then.
  symlinkSync(join(ROOT, 'node_modules'), join(source.path, 'node_modules'));
  build = Bun.spawn([process.execPath, 'build/main.ts'], {
    cwd: source.path,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  await build.exited;
});
afterAll(() => source[Symbol.dispose]());

describe('the image', () => {
  test('is built from files that are there, and that .dockerignore lets in', () => {
    const letIn = readFileSync(join(ROOT, '.dockerignore'), 'utf8').matchAll(/^!(.+)$/gm);
    expect([...letIn].map((match) => match[1] ?? '').sort()).toEqual([...COPIED].sort());
    expect(COPIED.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test('needs nothing else of this folder to be built', async () => {
    expect(await new Response(build.stderr).text()).toBe('');
    expect(await new Response(build.stdout).text()).toMatch(
      /^dist\/petstore: \d+ MB, built in [\d.]+ s\ndist\/petstore\.cdx\.json: \d+ packages\n$/,
    );
  });

  test('runs as a number that is not the superuser, and keeps everything in a volume of its own', () => {
    expect(dockerfile).toMatch(/^USER 65532:65532$/m);
    expect(dockerfile).toMatch(/^COPY --from=build --chown=65532:65532 \/data \/data$/m);
    expect(dockerfile).toMatch(/^ENV .*PETSTORE_DATA_DIR=\/data$/m);
    expect(dockerfile).toMatch(/^VOLUME \/data$/m);
  });
});

describe.skipIf(!hasNamespaces)('on a read-only root with nothing but the C library', () => {
  test('the executable serves, keeps all in /data, and ends with 0 at SIGTERM', async () => {
    await using container = await Container.start();
    const { service, data } = container;
    const origin = `http://localhost:${service.port}`;
    for (const path of ['/', '/docs', '/v1/openapi.json']) {
      expect((await fetch(origin + path)).status).toBe(200);
    }
    expect(existsSync(join(data, 'production.db'))).toBe(true);
    expect(await service.end('SIGTERM')).toBe(0);
  });

  test('two services in one network each keep their own /data', async () => {
    await using first = await Container.start();
    await using second = await Container.start();
    for (const { data } of [first, second]) {
      expect(existsSync(join(data, 'production.db'))).toBe(true);
    }
  });
});

/** The service on a root of its own, in the network of the machine. */
class Container implements AsyncDisposable {
  private constructor(
    readonly service: ServiceProcess,
    /** The folder that is its `/data`. */
    readonly data: string,
    private readonly place: Disposable,
  ) {}

  static async start(): Promise<Container> {
    using stack = new DisposableStack();
    const place = stack.use(temporaryFolder());
    const root = join(place.path, 'root');
    for (const folder of ['data', 'dev', 'proc'])
      mkdirSync(join(root, folder), { recursive: true });
    cpSync(executable, join(root, 'petstore'));
    for (const library of librariesOf(executable)) {
      mkdirSync(dirname(root + library), { recursive: true });
      cpSync(library, root + library, { dereference: true });
    }
    const data = join(place.path, 'data');
    mkdirSync(data);
    const service = await ServiceProcess.run(
      [...IN_NAMESPACES, 'sh', '-euc', ENTER_ROOT, 'sh', root, data],
      { env: { PATH: process.env['PATH'] ?? '' } },
    );
    return new Container(service, data, stack.move());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    this.place[Symbol.dispose]();
  }
}

/** Makes the root read-only; the other folders of a container are mounted into it. */
const ENTER_ROOT = `
  mount --bind "$1" "$1"
  mount --rbind /dev "$1/dev"
  mount --rbind /proc "$1/proc"
  mount --bind "$2" "$1/data"
  mount -o remount,ro,bind "$1"
  ! touch "$1/file" 2> /dev/null
  exec env -i PETSTORE_PORT=0 PETSTORE_OPS_PORT=0 PETSTORE_DATA_DIR=/data \\
    /usr/sbin/chroot "$1" /petstore serve`;

function librariesOf(file: string): string[] {
  const listed = Bun.spawnSync(['ldd', file]).stdout.toString();
  return [...listed.matchAll(/(\/\S+) \(0x/g)].map((match) => match[1] ?? '');
}
