import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const OPENSSL = Bun.which('openssl');

/** Whether tests can make certificates. */
export const hasOpenssl = OPENSSL !== null;
if (!hasOpenssl) console.warn('Tests of TLS are skipped: install openssl to run them.');

/** Runs openssl until it ends, and returns its output. */
export async function openssl(...args: readonly string[]): Promise<string> {
  const child = Bun.spawn([OPENSSL ?? 'openssl', ...args], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  await child.exited;
  return output + errors;
}

/** Certificates as certbot lays them out: a folder for each, and symbolic links to those in use. */
export class Certificates {
  readonly #folder: string;
  #made = 0;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(join(folder, 'live'));
  }

  get settings() {
    return {
      PETSTORE_TLS_CERT: this.#live('fullchain.pem'),
      PETSTORE_TLS_KEY: this.#live('privkey.pem'),
    };
  }

  /** Makes a certificate for localhost without using it. @returns its paths. */
  async make(name: string, days = 30): Promise<{ cert: string; key: string }> {
    const folder = join(this.#folder, name);
    mkdirSync(folder);
    const [cert, key] = [join(folder, 'fullchain.pem'), join(folder, 'privkey.pem')];
    await openssl(
      ...['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
      ...['-days', String(days), '-subj', `/CN=${name}`, '-keyout', key, '-out', cert],
      ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    );
    return { cert, key };
  }

  /** Makes a certificate and points the links to it. */
  async issue(name: string, days?: number): Promise<void> {
    const { cert, key } = await this.make(name, days);
    this.use(cert, key);
  }

  /** Points the links to these files, each atomically. */
  use(cert: string, key: string): void {
    for (const [name, target] of [
      ['fullchain.pem', cert],
      ['privkey.pem', key],
    ] as const) {
      this.#made += 1;
      const draft = join(this.#folder, `link-${this.#made}`);
      symlinkSync(target, draft);
      renameSync(draft, this.#live(name));
    }
  }

  #live(name: string): string {
    return join(this.#folder, 'live', name);
  }
}

/** The common name of the certificate on a port, and the version of TLS. @param version such as `-tls1_2` */
export async function shownAt(port: number, version?: string): Promise<readonly [string, string]> {
  const args = ['s_client', '-connect', `127.0.0.1:${port}`, ...(version ? [version] : [])];
  const output = await openssl(...args);
  const name = /subject=CN = (\S+)/.exec(output)?.[1] ?? 'none';
  return [name, /^New, (TLSv[\d.]+)/m.exec(output)?.[1] ?? 'none'];
}
