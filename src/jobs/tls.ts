import type { Config } from '../config/config.ts';
import type { TlsPair } from '../http/connection/tls-pair.ts';
import type { TlsDependencies } from './tls-files.ts';

/** The certificate in use, and the function that watches its files. */
interface Tls {
  readonly pair: TlsPair;
  watch(dependencies: TlsDependencies): void;
}

/**
 * Reads the configured certificate, if there is one; loads the code for it only then.
 * @throws SetupError when it cannot be used.
 */
export async function loadTls({ tls: files }: Config): Promise<Tls | undefined> {
  if (!files) return undefined;
  const { readTlsPair } = await import('../http/connection/tls-pair.ts');
  const { watchTlsFiles } = await import('./tls-files.ts');
  const pair = await readTlsPair(files);
  return { pair, watch: (dependencies) => watchTlsFiles(files, pair, dependencies) };
}
