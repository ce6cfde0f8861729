import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nginxPath } from '../../bench/machine.ts';
import { freePort } from '../support/free-port.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';

const PAGE = join(import.meta.dir, '..', '..', 'docs', 'operations.md');

/** The content of the fenced code blocks in this language. */
export function blocks(page: string, language: string): string[] {
  const found = page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'));
  return Array.from(found, ([, text = '']) => text);
}

/** The nginx of docs/operations.md, without TLS, in front of the services on these ports. */
export async function startNginx(servicePorts: readonly number[]) {
  const folder = temporaryFolder();
  const port = await freePort();
  const file = join(folder.path, 'nginx.conf');
  writeFileSync(file, configuration(folder.path, port, servicePorts));
  const child = Bun.spawn([nginxPath() ?? 'nginx', '-p', folder.path, '-c', file], {
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  // Requests for the document are not counted, because it is no operation.
  await eventually(async () => {
    const reply = await fetch(`${url}/v1/openapi.json`).catch(() => undefined);
    return reply?.ok === true;
  });
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await child.exited;
      folder[Symbol.dispose]();
    },
  };
}

function configuration(folder: string, port: number, servicePorts: readonly number[]): string {
  const [documented = ''] = blocks(readFileSync(PAGE, 'utf8'), 'nginx');
  const server = /server 127\.0\.0\.1:3000(.*);/;
  const servers = servicePorts.map((each) => `server 127.0.0.1:${each}$1;`).join(' ');
  const site = documented
    .replaceAll(/^ *ssl_.*$/gm, '')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace(server, servers);
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  return `daemon off; pid ${folder}/pid; error_log stderr;
    events {}
    http { access_log off; ${folders} ${site} }`;
}
