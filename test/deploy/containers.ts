import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PetstoreClient } from '../../client/src/index.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { allNames } from '../support/storage.ts';

/*
 * Builds the image, starts all services of compose.yaml with Docker, restarts the three processes one
 * after the other under load, and removes everything except for the image:
 * npm run containers [-- names of services, if one of them is unavailable]
 */

const PROJECT = 'petstore-check';
const PROXY = 'http://127.0.0.1:8080';
const PROMETHEUS = 'http://127.0.0.1:9090';
const PROCESSES = ['petstore-1', 'petstore-2', 'petstore-3'];
const CALLERS = 6;

using folder = temporaryFolder();
const secrets = join(folder.path, '.env');
const names = ['POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'GRAFANA_PASSWORD', 'SERVICE_SECRET'];
writeFileSync(secrets, names.map((name) => `${name}=${randomHex()}\n`).join(''));

try {
  await compose('up', '--detach', '--build', '--wait', ...process.argv.slice(2));
  await using load = startLoad(await makeKey());
  await eventually(async () => (await scraped()) === PROCESSES.length, MINUTE);
  for (const name of PROCESSES) await restart(name, load.added);
  await load.end();
  assert.deepEqual(load.failures, []);
  assert.deepEqual((await allNames(load.client)).sort(), load.added.sort());
  console.log(`${load.added.length} animals added meanwhile, no call failed, each is there once`);
} finally {
  await compose('down', '--volumes');
}

function randomHex(): string {
  return crypto.getRandomValues(new Uint8Array(24)).toHex();
}

/** Runs a command of docker compose; returns its output. Throws `AssertionError` when it fails. */
async function compose(...parameters: readonly string[]): Promise<string> {
  const command = ['docker', 'compose', '--project-name', PROJECT, '--env-file', secrets];
  const child = Bun.spawn([...command, ...parameters], {
    cwd: join(import.meta.dir, '..', '..'),
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const printed = await new Response(child.stdout).text();
  assert.equal(await child.exited, 0, `docker compose ${parameters.join(' ')}`);
  return printed.trim();
}

/** A key with ample limits, created as the documentation describes. */
async function makeKey(): Promise<string> {
  const petstore = (...words: string[]) =>
    compose('exec', '-T', 'petstore-1', 'petstore', ...words);
  const limits = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '1000000'];
  await petstore('accounts', 'create', 'you@example.com', ...limits);
  return await petstore('keys', 'create', 'you@example.com');
}

/** The number of processes that Prometheus scrapes. */
async function scraped(): Promise<number> {
  const query = encodeURIComponent('up{job="petstore"} == 1');
  const reply = await fetch(`${PROMETHEUS}/api/v1/query?query=${query}`);
  const { data }: { data: { result: unknown[] } } = await reply.json();
  return data.result.length;
}

/** Adds and lists pets in a loop. Without retries, because no call may fail. */
function startLoad(apiKey: string) {
  const client = new PetstoreClient({ baseUrl: `${PROXY}/v1`, apiKey, maxRetries: 0 });
  const added: string[] = [];
  const failures: unknown[] = [];
  let goesOn = true;
  const call = async (caller: number) => {
    for (let turn = 0; goesOn; turn += 1) {
      try {
        const name = `animal ${caller}-${turn}`;
        await client.createPet({ name, categoryId: caller });
        added.push(name);
        await client.listPets({ limit: 5 });
      } catch (error) {
        failures.push(error);
      }
    }
  };
  const calls = Array.from({ length: CALLERS }, (_, caller) => call(caller));
  const end = async () => {
    goesOn = false;
    await Promise.all(calls);
  };
  return { client, added, failures, end, [Symbol.asyncDispose]: end };
}

/** Stops a process gracefully and replaces its container, while pets are being added. */
async function restart(name: string, added: readonly string[]): Promise<void> {
  const goesOn = async () => {
    const before = added.length;
    await eventually(() => added.length > before + 100, MINUTE);
  };
  await goesOn();
  await compose('stop', name);
  const { ExitCode } = JSON.parse(await compose('ps', '--all', '--format', 'json', name));
  assert.equal(ExitCode, 0, `${name} at SIGTERM`);
  await goesOn();
  await compose('up', '--detach', '--no-deps', '--force-recreate', '--wait', name);
}
