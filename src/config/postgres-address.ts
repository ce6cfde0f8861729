import { SetupError } from '../core/errors.ts';

/** One address for each server of a database; one of the servers accepts changes. */
export type DatabaseAddresses = readonly [string, ...string[]];

/** The forms of an address, for documentation and error messages. */
const POSTGRES_URL_FORMS =
  'postgres://user:password@db.example.com:5432/petstore, with several servers as ' +
  'one.example.com:5432,two.example.com:5432';

const FORM = /^(postgres(?:ql)?:\/\/(?:.*@)?)([^@/?#]+)(\/[^/?#].*)$/;

/** libpq's parameter that selects one of several servers. */
const TARGET = 'target_session_attrs';

const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * Parses an address in libpq's form, which may name several servers.
 * @returns one address for each server, as Bun's client takes it.
 * @throws SetupError whose message does not repeat the address: it may hold a password.
 */
export function parsePostgresUrl(text: string): DatabaseAddresses {
  const [, start = '', hosts = '', rest = ''] = FORM.exec(text) ?? [];
  const [first = '', ...others] = hosts.split(',').map((host) => start + host + rest);
  return [parseServer(first), ...others.map(parseServer)];
}

function parseServer(text: string): string {
  const url = URL.parse(text);
  if (!url?.hostname || url.port === '0') {
    throw new SetupError(`must be an address such as ${POSTGRES_URL_FORMS}.`);
  }
  if (!isDecodable(text)) {
    throw new SetupError('has a user, password or name that is not percent-encoded.');
  }
  const mode = url.searchParams.get('sslmode')?.toLowerCase() ?? '';
  if (mode !== '' && !TLS_MODES.includes(mode)) {
    throw new SetupError(`must have an sslmode of ${TLS_MODES.join(', ')}.`);
  }
  const target = url.searchParams.get(TARGET);
  if (target === null) return text;
  if (target !== 'read-write' && target !== 'primary') {
    throw new SetupError(
      `cannot have another ${TARGET} than read-write: the service makes changes.`,
    );
  }
  // Clients use this parameter; servers would refuse it.
  url.searchParams.delete(TARGET);
  return url.href;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
