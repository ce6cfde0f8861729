import { SetupError } from '../core/errors.ts';

export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

/** Where a Redis is, and how to get in. */
export interface RedisAddress {
  readonly kind: 'single' | 'sentinel' | 'cluster';
  /** One server, or the Sentinels, or some nodes of the Cluster. */
  readonly hosts: readonly [RedisHost, ...RedisHost[]];
  /** What the Sentinels call the server. */
  readonly master: string | undefined;
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
}

/** How addresses are written; for documentation and for errors. */
export const REDIS_URL_FORMS =
  'redis://[user:password@]host[:6379][/database], ' +
  'redis+sentinel://host[:26379],host/master[/database] or ' +
  'redis+cluster://host[:6379],host, each also with rediss for TLS';

const FORM = /^(redis|rediss)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^@/]+)(?:\/(.*))?$/;
const HOST = /^(?:([a-z\d](?:[\w.-]*[\w])?)|\[([a-f\d:.]+)\])(?::(\d{1,5}))?$/i;

/**
 * Reads an address of Redis.
 * @throws SetupError that does not repeat the address: it may hold a password.
 */
export function parseRedisUrl(text: string): RedisAddress {
  const [, scheme, form = 'single', credentials, hosts = '', path = ''] = FORM.exec(text) ?? [];
  if (scheme === undefined) throw new SetupError(`must look like ${REDIS_URL_FORMS}.`);
  const kind = form === 'sentinel' || form === 'cluster' ? form : 'single';
  const [first, ...more] = hosts.split(',').map((each) => parseHost(each, kind));
  if (!first || (kind === 'single' && more.length > 0)) {
    throw new SetupError('names several servers: use redis+sentinel:// or redis+cluster://.');
  }
  return {
    kind,
    hosts: [first, ...more],
    tls: scheme === 'rediss',
    ...parseCredentials(credentials),
    ...parsePath(path.replace(/\/$/, ''), kind),
  };
}

function parseHost(text: string, kind: RedisAddress['kind']): RedisHost {
  const [, name, ipv6, digits] = HOST.exec(text) ?? [];
  const host = name ?? ipv6;
  const port = digits === undefined ? (kind === 'sentinel' ? 26_379 : 6_379) : Number(digits);
  if (host === undefined || port < 1 || port > 65_535) {
    throw new SetupError('must name hosts as host or host:port, separated by commas.');
  }
  return { host, port };
}

function parseCredentials(text: string | undefined) {
  if (text === undefined) return { username: undefined, password: undefined };
  const colon = text.indexOf(':');
  const [user, password] = colon < 0 ? ['', text] : [text.slice(0, colon), text.slice(colon + 1)];
  if (password === '') throw new SetupError('names a user without a password.');
  return { username: decode(user) || undefined, password: decode(password) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new SetupError('has a user or password that is not percent-encoded.');
  }
}

function parsePath(path: string, kind: RedisAddress['kind']) {
  const parts = path === '' ? [] : path.split('/');
  const master = kind === 'sentinel' ? parts.shift() : undefined;
  if (kind === 'sentinel' && !master) {
    throw new SetupError('must end in the name of the master: redis+sentinel://host/mymaster.');
  }
  const [database = '0', ...rest] = parts;
  if (rest.length > 0 || !/^\d{1,5}$/.test(database)) {
    throw new SetupError('must end in the number of a database, or in its host.');
  }
  if (kind === 'cluster' && parts.length > 0) {
    throw new SetupError('must not name a database: a Cluster has only one.');
  }
  return { master: master && decode(master), database: Number(database) };
}
