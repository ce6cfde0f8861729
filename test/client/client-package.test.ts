import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reply, ScriptedService } from '../../client/testing/scripted-service.ts';

const repository = join(import.meta.dir, '..', '..');
const tsc = join(repository, 'node_modules', '.bin', 'tsc');
const node = Bun.which('node');
const SOURCE_ACCESS_SINCE = 22;

let folder = '';

setDefaultTimeout(60_000);

async function run(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd: folder, stdout: 'pipe', stderr: 'pipe' });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}\n${output}${errors}`);
  return output.trim();
}

function listingProgram(baseUrl: string): string {
  return `
    import { PetstoreClient } from 'petstore-client';
    const client = new PetstoreClient({ apiKey: 'key', baseUrl: '${baseUrl}' });
    for await (const pet of client.listAllPets()) console.log(pet.name, pet.id);
  `;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-client-'));
  const client = join(repository, 'client');
  const installed = join(folder, 'node_modules', 'petstore-client');
  const commonjs = join(installed, 'dist', 'commonjs');
  const compile = (project: string, outDir: string) =>
    run(process.execPath, tsc, '-p', join(client, project), '--outDir', outDir);
  await compile('tsconfig.json', join(installed, 'dist'));
  await compile('tsconfig.commonjs.json', commonjs);
  await copyFile(join(client, 'commonjs-package.json'), join(commonjs, 'package.json'));
  await copyFile(join(client, 'package.json'), join(installed, 'package.json'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('the built package', () => {
  test('lists pets under Bun', async () => {
    const pets = '[{"id":9007199254740993,"name":"Rex","categoryId":7,"status":"sold"}]';
    using service = new ScriptedService(reply(200, pets));
    const program = join(folder, 'list.mjs');
    await writeFile(program, listingProgram(service.baseUrl));

    expect(await run(process.execPath, program)).toBe('Rex 9007199254740993n');
  });

  test.skipIf(node === null)('lists pets under Node', async () => {
    const version = await run(node ?? '', '--version');
    console.log(`Running the built client under Node ${version}.`);
    const pets = '[{"id":1,"name":"Rex","categoryId":7,"status":"sold"}]';
    using service = new ScriptedService(reply(200, pets));
    const program = join(folder, 'list-node.mjs');
    await writeFile(program, listingProgram(service.baseUrl));

    expect(await run(node ?? '', program)).toBe('Rex 1');
  });

  test.skipIf(node === null)('never rounds an id under Node, whatever its version', async () => {
    const major = Number(/^v(\d+)/.exec(await run(node ?? '', '--version'))?.[1]);
    const pets = '[{"id":9007199254740993,"name":"Rex","categoryId":7,"status":"sold"}]';
    using service = new ScriptedService(reply(200, pets));
    const program = join(folder, 'list-exact.mjs');
    await writeFile(program, listingProgram(service.baseUrl));

    const outcome = await run(node ?? '', program).catch(String);

    const refusal = 'this runtime cannot read exactly';
    expect(outcome).toContain(major >= SOURCE_ACCESS_SINCE ? 'Rex 9007199254740993n' : refusal);
  });

  test('has types that a strict consumer can build on', async () => {
    await writeFile(
      join(folder, 'consumer.ts'),
      `
        import { type Int64, isApiError, type Pet, PetstoreClient } from 'petstore-client';
        const client: PetstoreClient = new PetstoreClient({ apiKey: 'key', fetch });
        export async function find(id: Int64, signal: AbortSignal | undefined): Promise<Pet | undefined> {
          for await (const pet of client.listAllPets({ status: 'available' }, { signal })) {
            if (pet.id === id) return pet;
          }
          return undefined;
        }
        export function codeOf(error: unknown): 'not_found' | 'pet_not_found' | undefined {
          return isApiError(error, 'not_found', 'pet_not_found') ? error.code : undefined;
        }
      `,
    );
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--module', 'nodenext'];
    const environment = ['--target', 'es2023', '--lib', 'es2023,dom', '--types', ''];

    expect(await run(process.execPath, tsc, ...strict, ...environment, 'consumer.ts')).toBe('');
  });

  test('has types and code for CommonJS projects', async () => {
    await writeFile(
      join(folder, 'consumer.cts'),
      `
        import { ApiError, PetstoreClient } from 'petstore-client';
        const client = new PetstoreClient({ apiKey: 'key', maxRetries: 0 });
        console.log(client instanceof PetstoreClient, ApiError.prototype.name);
      `,
    );
    const options = ['--strict', '--module', 'node16', '--target', 'es2023', '--types', ''];
    const libraries = ['--lib', 'es2023,dom'];
    const { execPath } = process;

    expect(await run(execPath, tsc, ...options, ...libraries, 'consumer.cts')).toBe('');
    expect(await run(node ?? execPath, 'consumer.cjs')).toBe('true ApiError');
  });

  test('takes under 6 kB of a page, compressed', async () => {
    const build = await Bun.build({
      entrypoints: [join(repository, 'client', 'src', 'index.ts')],
      target: 'browser',
      minify: true,
    });
    const code = await build.outputs[0]?.arrayBuffer();

    expect(Bun.gzipSync(code ?? new ArrayBuffer()).length).toBeWithin(1_000, 6_000);
  });

  test('sends its version as User-Agent', async () => {
    const manifest: unknown = await Bun.file(join(repository, 'client', 'package.json')).json();
    const program = `
      import { PetstoreClient } from 'petstore-client';
      const fetch = async (url, { headers }) => {
        console.log(headers.get('User-Agent'));
        return Response.json([]);
      };
      await new PetstoreClient({ fetch }).listPets();
    `;
    await writeFile(join(folder, 'agent.mjs'), program);

    const agent = await run('env', 'PETSTORE_KEY=key', process.execPath, 'agent.mjs');

    expect(agent).toBe(`petstore-client/${Object(manifest).version}`);
  });

  test('depends on nothing', async () => {
    const manifest: unknown = await Bun.file(join(repository, 'client', 'package.json')).json();

    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('peerDependencies');
  });
});
