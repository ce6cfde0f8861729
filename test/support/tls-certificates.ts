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

/** Options of openssl that make a key. */
const NEW_KEY = {
  ECDSA: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  RSA: ['-newkey', 'rsa:2048'],
} as const;

export type CertificateAlgorithm = keyof typeof NEW_KEY;

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
  async make(
    name: string,
    days = 30,
    algorithm: CertificateAlgorithm = 'ECDSA',
  ): Promise<{ cert: string; key: string }> {
    const folder = join(this.#folder, name);
    mkdirSync(folder);
    const [cert, key] = [join(folder, 'fullchain.pem'), join(folder, 'privkey.pem')];
    await openssl(
      ...['req', '-x509', '-nodes', ...NEW_KEY[algorithm]],
      ...['-days', String(days), '-subj', `/CN=${name}`, '-keyout', key, '-out', cert],
      ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    );
    return { cert, key };
  }

  /** Makes a certificate and points the links to it. */
  async issue(name: string, days?: number, algorithm?: CertificateAlgorithm): Promise<void> {
    const { cert, key } = await this.make(name, days, algorithm);
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

/** The ciphers of TLS 1.2 that a port accepts, by the names that openssl gives them. */
export async function acceptedCiphers(port: number): Promise<string[]> {
  // Without the security level, openssl itself would refuse the weak ones.
  const all = (await openssl('ciphers', '-tls1_2', '-s', 'ALL:COMPLEMENTOFALL:@SECLEVEL=0')).trim();
  const accepted = await Promise.all(
    all.split(':').map(async (cipher) => {
      const only = ['-tls1_2', '-cipher', `${cipher}:@SECLEVEL=0`];
      const output = await openssl('s_client', '-connect', `127.0.0.1:${port}`, ...only);
      return /^New, TLSv1\.2, Cipher is (\S+)/m.exec(output)?.[1] ?? [];
    }),
  );
  return accepted.flat().toSorted();
}
