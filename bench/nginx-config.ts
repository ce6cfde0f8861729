import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The shipped configuration. */
export const NGINX_CONFIG = join(import.meta.dir, '..', 'deploy/nginx/nginx.conf');

/**
 * The shipped configuration, adapted to processes on this machine.
 * @param folder for the files that nginx writes.
 * @param upstreams ports of the processes, used in turn for the servers of the configuration.
 */
export function shippedNginxConfig(
  folder: string,
  port: number,
  upstreams: readonly number[],
): string {
  let servers = 0;
  return readFileSync(NGINX_CONFIG, 'utf8')
    .replaceAll('/tmp/', `${folder}/`)
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replaceAll(/server [\d.]+:3000 /g, () => {
      const upstream = upstreams[servers % upstreams.length];
      servers += 1;
      return `server 127.0.0.1:${upstream} `;
    });
}
