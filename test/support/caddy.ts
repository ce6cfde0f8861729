import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepts } from './free-port.ts';
import { eventually, temporaryFolder } from './harness.ts';

const SHIPPED = join(import.meta.dir, '..', '..', 'deploy', 'caddy', 'Caddyfile');
const CADDY = Bun.which('caddy');

/** Whether tests can start their own Caddy. */
export const hasCaddy = CADDY !== null;
if (!hasCaddy) console.warn('Tests of Caddy are skipped: install caddy to run them.');

/** The processes of each example in the shipped configuration, as its directive `to` lists them. */
export const EXAMPLES = {
  'one process': /^\t\tto (127\.0\.0\.1:3000)$/m,
  'three processes on one machine': /^\t\t# to (127\..+)$/m,
  'three machines': /^\t\t# to (10\..+)$/m,
} as const;

interface ShippedCaddy {
  /** The port of Caddy. */
  readonly port: number;
  readonly example: keyof typeof EXAMPLES;
  /** The ports of every process. */
  readonly processPort: number;
  readonly opsPort: number;
}

/** The addresses of an example; machines are other loopback addresses here. */
export function addressesOf(example: keyof typeof EXAMPLES): readonly string[] {
  const [, listed = ''] = EXAMPLES[example].exec(readFileSync(SHIPPED, 'utf8')) ?? [];
  return listed.split(' ').map((each) => each.replace(':3000', '').replace(/^10\./, '127.'));
}

/** Caddy with the shipped configuration, without TLS. */
export async function startShippedCaddy({ port, example, processPort, opsPort }: ShippedCaddy) {
  const folder = temporaryFolder();
  const file = join(folder.path, 'Caddyfile');
  const processes = addressesOf(example).map((address) => `${address}:${processPort}`);
  const shipped = readFileSync(SHIPPED, 'utf8')
    .replace('\n{\n', '\n{\n\tadmin off\n')
    .replace('petstore.example.com {', `http://localhost:${port} {\n\tbind 127.0.0.1`)
    .replace(EXAMPLES['one process'], `\t\tto ${processes.join(' ')}`)
    .replace('health_port 3001', `health_port ${opsPort}`);
  writeFileSync(file, shipped);
  const child = Bun.spawn([CADDY ?? 'caddy', 'run', '--adapter', 'caddyfile', '--config', file], {
    env: { ...process.env, HOME: folder.path, XDG_DATA_HOME: folder.path },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const url = `http://localhost:${port}`;
  await eventually(() => accepts(port));
  // Caddy forwards requests once the first check of /readyz has succeeded.
  await eventually(async () => (await fetch(`${url}/v1/openapi.json`)).ok);
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await child.exited;
      folder[Symbol.dispose]();
    },
  };
}
