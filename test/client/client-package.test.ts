import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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
  const installed = join(folder, 'node_modules', 'petstore-client');
  await run(
    process.execPath,
    tsc,
    '-p',
    join(repository, 'client', 'tsconfig.json'),
    '--outDir',
    join(installed, 'dist'),
  );
  await Bun.write(
    join(installed, 'package.json'),
    Bun.file(join(repository, 'client', 'package.json')),
  );
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

  test('depends on nothing', async () => {
    const manifest: unknown = await Bun.file(join(repository, 'client', 'package.json')).json();

    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('peerDependencies');
  });
});
