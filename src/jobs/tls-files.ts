import { messageOf } from '../core/errors.ts';
import type { Listener } from '../http/connection/listener.ts';
import { readTlsPair, type TlsFiles, type TlsPair } from '../http/connection/tls-pair.ts';
import { DAY, SECOND } from '../lib/clock.ts';
import type { JobDependencies } from './dependencies.ts';

const INSPECT_EVERY = 5 * SECOND;

/** How long before the certificate expires to warn, in ms: certbot renews 30 days before. */
const WARN_BEFORE = 7 * DAY;

export interface TlsDependencies extends JobDependencies {
  readonly listener: Pick<Listener, 'useCertificate'>;
}

/**
 * Reads the files again every 5 s, following symbolic links, and uses their content when it has changed. Files
 * that cannot be used are logged and shown by `/readyz`, and the previous pair stays in use.
 * @param used the pair that the listener currently uses.
 */
export function watchTlsFiles(files: TlsFiles, used: TlsPair, dependencies: TlsDependencies): void {
  const { jobs, readiness, metrics } = dependencies;
  const watch = new TlsWatch(files, used, dependencies);
  metrics.certificateExpiry = used.expiresAt;
  watch.reportExpiry();
  readiness.addNote(() => watch.problem);
  jobs.every(INSPECT_EVERY, 'look at the TLS files', () => watch.inspect());
}

class TlsWatch {
  readonly #files: TlsFiles;
  readonly #dependencies: TlsDependencies;
  #used: TlsPair;
  /** The problem found by the last check. */
  #found: string | undefined;
  /** A problem found by two checks in a row: at the first, a renewal may have replaced only one of the files. */
  problem: string | undefined;

  constructor(files: TlsFiles, used: TlsPair, dependencies: TlsDependencies) {
    this.#files = files;
    this.#used = used;
    this.#dependencies = dependencies;
  }

  async inspect(): Promise<void> {
    const found = await this.#renew();
    if (found === undefined) this.reportExpiry();
    else if (found === this.#found && found !== this.problem) {
      this.problem = found;
      const { log } = this.#dependencies;
      log.error(
        { problem: found },
        'the new TLS files cannot be used; the former ones stay in use',
      );
    }
    this.#found = found;
  }

  /** Warns once when the certificate expires soon. */
  reportExpiry(): void {
    const { clock, log } = this.#dependencies;
    const { expiresAt } = this.#used;
    const expiry = new Date(expiresAt).toISOString();
    const isLate = expiresAt - clock.now().wall < WARN_BEFORE;
    const warning = isLate ? `The TLS certificate expires at ${expiry}. Renew it.` : undefined;
    if (warning !== undefined && warning !== this.problem) {
      log.warn({ expiresAt: expiry }, 'the TLS certificate expires soon, or has expired');
    }
    this.problem = warning;
  }

  /** Uses the files if they have changed; returns the reason if they cannot be used. */
  async #renew(): Promise<string | undefined> {
    const { listener, log, metrics } = this.#dependencies;
    try {
      const pair = await readTlsPair(this.#files);
      if (pair.cert === this.#used.cert && pair.key === this.#used.key) return undefined;
      await listener.useCertificate(pair);
      this.#used = pair;
      metrics.certificateExpiry = pair.expiresAt;
      log.info({ expiresAt: new Date(pair.expiresAt).toISOString() }, 'uses a new TLS certificate');
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }
}
