import { SetupError } from '../core/errors.ts';

/** The same database on each of several servers, of which one takes changes; or just one server. */
export type DatabaseAddresses = readonly [string, ...string[]];

/** How addresses are written; for documentation and for errors. */
export const POSTGRES_URL_FORMS =
  'postgres://user:password@db.example.com:5432/petstore, with several servers as ' +
  'one.example.com:5432,two.example.com:5432';

const FORM = /^(postgres(?:ql)?:\/\/(?:.*@)?)([^@/?#]+)(\/[^/?#].*)$/;

/** libpq's name for which of several servers is wanted. */
const WANTED = 'target_session_attrs';

const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * Reads an address as libpq takes it, which may name several servers; gives one for each server.
 * @throws SetupError that does not repeat the address: it may hold a password.
 */
export function parsePostgresUrl(text: string): DatabaseAddresses {
  const [, start = '', hosts = '', rest = ''] = FORM.exec(text) ?? [];
  const [first, ...others] = hosts.split(',').map((host) => addressOf(start + host + rest));
  if (first === undefined)
    throw new SetupError(`must be an address such as ${POSTGRES_URL_FORMS}.`);
  return [first, ...others];
}

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
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
  return withoutWanted(text, url);
}

function withoutWanted(text: string, url: URL): string {
  const wanted = url.searchParams.get(WANTED);
  if (wanted === null) return text;
  if (wanted !== 'read-write' && wanted !== 'primary') {
    throw new SetupError(
      `cannot have another ${WANTED} than read-write: the service makes changes.`,
    );
  }
  // Servers do not know it: it is for those that connect.
  url.searchParams.delete(WANTED);
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
