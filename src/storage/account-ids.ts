const PREFIX = 'acct_';
const PLAIN = /^acct_([0-9a-f]{32})$/;
const UUID_BYTES = 16;

/** The id of an account as it is stored with each pet: its UUID, which takes half the space, or its text. */
export function storedAccountId(id: string): Buffer {
  const uuid = PLAIN.exec(id)?.[1];
  return uuid === undefined ? Buffer.from(id) : Buffer.from(uuid, 'hex');
}

/** The id of an account from its stored form. */
export function accountIdFrom(stored: Uint8Array): string {
  const bytes = Buffer.from(stored);
  return bytes.length === UUID_BYTES ? `${PREFIX}${bytes.toString('hex')}` : bytes.toString();
}
