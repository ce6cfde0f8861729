import { SetupError } from '../core/errors.ts';

interface RedisHost {
  readonly host: string;
  readonly port: number;
}

/** The address of Redis, with its credentials. */
export interface RedisAddress {
  readonly kind: 'single' | 'sentinel' | 'cluster';
  /** The server, the Sentinels, or some nodes of the Cluster. */
  readonly hosts: readonly [RedisHost, ...RedisHost[]];
  /** The Sentinels' name for the master. */
  readonly master: string | undefined;
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
}

/** The forms of an address, for documentation and error messages. */
const REDIS_URL_FORMS =
  'redis://[user:password@]host[:6379][/database], ' +
  'redis+sentinel://host[:26379],host/master[/database] or ' +
  'redis+cluster://host[:6379],host, each also with rediss for TLS';

const FORM = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/((?:[^@/]*@)?)([^@/?#]+)(?:\/(.*))?$/;

/**
 * Parses an address of Redis.
 * @throws SetupError whose message does not repeat the address: it may hold a password.
 */
export function parseRedisUrl(text: string): RedisAddress {
  const [, scheme, form = 'single', userInfo = '', hosts = '', path = ''] = FORM.exec(text) ?? [];
  if (scheme === undefined) throw new SetupError(`must look like ${REDIS_URL_FORMS}.`);
  const kind = form === 'sentinel' || form === 'cluster' ? form : 'single';
  const [first, ...others] = hosts.split(',').map((host) => parseHost(host, kind));
  if (!first || (kind === 'single' && others.length > 0)) {
    throw new SetupError('names several servers: use redis+sentinel:// or redis+cluster://.');
  }
  return {
    kind,
    hosts: [first, ...others],
    tls: scheme === 'rediss',
    ...parseUserInfo(userInfo),
    ...parsePath(path.replace(/\/$/, ''), kind),
  };
}

function parseHost(text: string, kind: RedisAddress['kind']): RedisHost {
  const url = URL.parse(`redis://${text}`);
  if (!url?.hostname || url.port === '0') {
    throw new SetupError('must name hosts as host or host:port, separated by commas.');
  }
  const defaultPort = kind === 'sentinel' ? 26_379 : 6_379;
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || defaultPort) };
}

function parseUserInfo(text: string): Pick<RedisAddress, 'username' | 'password'> {
  if (text === '') return { username: undefined, password: undefined };
  const [, user = '', password = ''] = /^(?:([^:]*):)?(.*)@$/.exec(text) ?? [];
  if (password === '') throw new SetupError('names a user without a password.');
  return { username: decode(user) || undefined, password: decode(password) };
}

function parsePath(
  path: string,
  kind: RedisAddress['kind'],
): Pick<RedisAddress, 'master' | 'database'> {
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

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new SetupError('has a user or password that is not percent-encoded.');
  }
}
