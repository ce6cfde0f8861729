import { closest, distance } from 'fastest-levenshtein';
import type { ApiName } from '../core/environments.ts';
import type { Variables } from './process-environment.ts';
import { SETTINGS } from './settings.ts';

const PREFIX = 'PETSTORE_';

/** A name of this many characters, without the prefix, is long: it may differ by one more from the setting that was meant. */
const LONG = 10;

/** Variables with the base addresses that clients use; `run` sets them for its command. */
export const CLIENT_ADDRESSES = {
  production: 'PETSTORE_URL',
  staging: 'PETSTORE_STAGING_URL',
  quickstart: 'PETSTORE_QUICKSTART_URL',
  sandbox: 'PETSTORE_SANDBOX_URL',
} as const satisfies Record<ApiName, string>;

/**
 * Variables of the documentation's examples, of the package for tests, and of the commands that `run` and `grade`
 * start. They are not settings.
 */
const OF_CLIENTS: readonly string[] = [
  ...Object.values(CLIENT_ADDRESSES),
  ...['PETSTORE_KEY', 'PETSTORE_STAGING_KEY'],
  ...['PETSTORE_TASK', 'PETSTORE_PET_ID', 'PETSTORE_CATEGORY_ID', 'PETSTORE_COUNT'],
  'PETSTORE_EXECUTABLE',
];

/**
 * Names of the variables with which Kubernetes gives every container the addresses of the services in its namespace,
 * here of one named petstore, or petstore and a suffix. The name `…_PORT` is in `isServiceLink`.
 */
const SERVICE_LINK =
  /^PETSTORE_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;

/** The value of the one whose name may be that of a setting: `PETSTORE_PORT`, or `PETSTORE_OPS_PORT`. */
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\/\S+:\d+$/;

/** The environment without the variables that Kubernetes derives from services named like settings. */
export function withoutServiceLinks(environment: Variables): Variables {
  return Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => !isServiceLink(name, value)),
  );
}

function isServiceLink(name: string, value = ''): boolean {
  if (!name.startsWith(PREFIX)) return false;
  return SERVICE_LINK.test(name) || (name.endsWith('_PORT') && SERVICE_ADDRESS.test(value));
}

/**
 * The environment without variables that only look like settings: the client project in whose environment a command
 * runs may have its own, such as `PETSTORE_API_KEY`.
 */
export function withoutForeignVariables(environment: Variables): Variables {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isForeign(name)));
}

/** The problems of variables that look like settings but are none. */
export function unknownSettings(environment: Variables): readonly string[] {
  return Object.keys(environment).filter(isForeign).map(describeUnknown);
}

/** Whether a name has the prefix of the settings, but is none of the service's. */
function isForeign(name: string): boolean {
  return name.startsWith(PREFIX) && !isKnown(name);
}

function isKnown(name: string): boolean {
  return Object.hasOwn(SETTINGS, name) || OF_CLIENTS.includes(name);
}

function describeUnknown(name: string): string {
  const meant = settingMeantBy(name);
  return `${name} is not a setting. ${meant ? `Did you mean ${meant}?` : 'docs/settings.md lists them all.'}`;
}

/** The setting that was probably meant: the only one that begins with these words, or one with nearly this name. */
function settingMeantBy(name: string): string | undefined {
  const settings = Object.keys(SETTINGS);
  const [completed, ...others] = settings.filter((setting) => setting.startsWith(`${name}_`));
  if (completed && others.length === 0) return completed;
  const nearest = closest(name, settings);
  const length = name.length - PREFIX.length;
  return distance(name, nearest) <= Math.min(length / 2, length < LONG ? 2 : 3)
    ? nearest
    : undefined;
}
