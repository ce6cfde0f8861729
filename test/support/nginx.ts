import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nginxPath } from '../../bench/machine.ts';
import { shippedNginxConfig } from '../../bench/nginx-config.ts';
import { accepts, freePort } from './free-port.ts';
import { eventually, temporaryFolder } from './harness.ts';

/** Whether tests can start their own proxy. */
export const hasNginx = nginxPath() !== null;
if (!hasNginx) console.warn('Proxy tests are skipped: install nginx to run them.');

/** nginx with the shipped configuration, except for its own port and those of the services. */
export class NginxProxy implements AsyncDisposable {
  readonly port: number;
  readonly #folder = temporaryFolder();
  #child: Bun.ReadableSubprocess | undefined;

  private constructor(port: number) {
    this.port = port;
  }

  /** A proxy that is not started yet, so that its address is known before the services start. */
  static async prepare(): Promise<NginxProxy> {
    return new NginxProxy(await freePort());
  }

  /** @param ports of the processes on this machine, in the order of the configuration. */
  async start(ports: readonly number[]): Promise<void> {
    this.#child = this.#spawn(ports, ['-g', 'daemon off; master_process off;']);
    await eventually(() => accepts(this.port));
  }

  /** The output and exit code of `nginx -t`. */
  async check(): Promise<{ code: number; said: string }> {
    const child = this.#spawn([1], ['-t']);
    const said = await new Response(child.stderr).text();
    return { code: await child.exited, said };
  }

  get url(): string {
    return `http://localhost:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child?.kill('SIGTERM');
    await this.#child?.exited;
    this.#folder[Symbol.dispose]();
  }

  #spawn(ports: readonly number[], args: readonly string[]): Bun.ReadableSubprocess {
    const file = join(this.#folder.path, 'nginx.conf');
    writeFileSync(file, shippedNginxConfig(this.#folder.path, this.port, ports));
    return Bun.spawn([nginxPath() ?? 'nginx', '-c', file, '-e', 'stderr', ...args], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
  }
}

/** The shipped proxy in front of the services on these ports. */
export async function startShippedNginx(ports: readonly number[]): Promise<NginxProxy> {
  const proxy = await NginxProxy.prepare();
  await proxy.start(ports);
  return proxy;
}
