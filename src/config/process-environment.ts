import { readFileSync } from 'node:fs';
import { messageOf, SetupError } from '../core/errors.ts';

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '::1'] as const;

const ENV_FILE = '.env';

/** Of Linux: the variables of this process, with a null character after each. */
const START_ENVIRONMENT_FILE = '/proc/self/environ';

/** The environment variables of this process, with those of `.env` once it has been read. */
export function processEnvironment(): Variables {
  return process.env;
}

/**
 * The environment variables that this process was started with. The runtime adds those of `.env`, `.env.local` and
 * others to `process.env` if it was started without `--no-env-file`; only Linux shows then what was there before.
 */
export function startEnvironment(): Variables {
  let text: string;
  try {
    text = readFileSync(START_ENVIRONMENT_FILE, 'utf8');
  } catch {
    return process.env;
  }
  const entries = text.split('\0').filter((entry) => entry.includes('='));
  return Object.fromEntries(
    entries.map((entry) => {
      const end = entry.indexOf('=');
      return [entry.slice(0, end), entry.slice(end + 1)];
    }),
  );
}

/**
 * Adds the variables of `.env` in the current folder to those of this process, which take precedence.
 * @throws SetupError when there is such a file and it cannot be read.
 */
export function readEnvFile(): void {
  try {
    process.loadEnvFile(ENV_FILE);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw new SetupError(`Cannot read ${ENV_FILE}: ${messageOf(error)}.`, { cause: error });
  }
}

/**
 * The variables with which a program sends requests to these hosts directly, in spite of `HTTP_PROXY` and the like.
 * Programs read one name or the other.
 */
function proxyExemptions(
  environment: Variables,
  hosts: readonly string[] = LOOPBACK_HOSTS,
): Record<string, string> {
  const { NO_PROXY: upper, no_proxy: lower } = environment;
  const exempted = (given = '') => {
    const listed = given.split(',').map((host) => host.trim());
    // Only alone does an asterisk exempt every host.
    if (listed.includes('*')) return '*';
    return [...new Set([...listed, ...hosts])].filter((host) => host !== '').join(',');
  };
  return { NO_PROXY: exempted(upper ?? lower), no_proxy: exempted(lower ?? upper) };
}

/**
 * The environment of a command that uses a service of this machine: the one that this process was started with, which
 * sends requests to this machine through no proxy, and the added variables.
 */
export function commandEnvironment(added: Readonly<Record<string, string>>): Variables {
  const environment = startEnvironment();
  return { ...environment, ...proxyExemptions(environment), ...added };
}

/** Makes later requests of this process to these hosts ignore proxies that the environment names. */
export function exemptFromProxies(hosts?: readonly string[]): void {
  Object.assign(process.env, proxyExemptions(process.env, hosts));
}
