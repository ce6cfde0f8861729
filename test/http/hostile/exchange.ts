import { connect } from 'node:net';
import { parseReplies, type RawReply } from '../../support/raw.ts';
import { BAD_ID, type HostileRow, INNER_ID, NEXT, NEXT_ID } from './rows.ts';

/** The sending half is closed after this time in ms if the server waits for more bytes. */
const PATIENCE = 2_000;

/** Documented errors in addition to 4xx: an unknown transfer coding, and an unknown version. */
const DOCUMENTED_FAILURES = [501, 505];

/**
 * Sends a malformed request followed by a good one on the same connection, and returns the received text
 * until the server closes the connection or announces this.
 */
export async function sendHostile(port: number, row: HostileRow, key: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let text = '';
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (data) => {
    text += data.toString('latin1');
    if (parseReplies(text).at(-1)?.headers['connection'] === 'close') socket.destroy();
  });
  // A server may refuse the rest of a request with a reset.
  socket.on('error', () => {}).on('close', () => resolve());
  const bytes = (row.isCut ? row.bytes : row.bytes + NEXT).replaceAll('{key}', key);
  socket.write(Buffer.from(bytes, 'latin1'));
  if (row.isCut) socket.end();
  const impatience = setTimeout(() => socket.end(), PATIENCE);
  const end = setTimeout(() => socket.destroy(), 2 * PATIENCE);
  await promise;
  clearTimeout(impatience);
  clearTimeout(end);
  return text;
}

/** The problems of the received text; empty if there are none. */
export function problemsOf(text: string): string[] {
  const replies = parseReplies(text);
  const ids = replies.map(({ headers }) => headers['x-request-id']);
  const next = ids.indexOf(NEXT_ID);
  const failures = replies.filter(
    ({ status }) => status >= 500 && !DOCUMENTED_FAILURES.includes(status),
  );
  return [
    ...failures.map(({ status }) => `an undocumented ${status}`),
    ...(ids.includes(INNER_ID) ? ['a request inside a body was answered'] : []),
    ...(replies.length > 2 ? [`${replies.length} replies to two requests`] : []),
    ...(next !== -1 && next !== replies.length - 1 ? ['a reply after the last one'] : []),
    ...(next !== -1 && replies[next]?.status !== 200 ? ['the good request was refused'] : []),
    ...(ids.lastIndexOf(BAD_ID) > 0 ? ['the malformed request was answered late'] : []),
    ...(isWhole(text, replies) ? [] : ['bytes that are no reply']),
  ];
}

/** Whether the text consists of replies, or of one line of JSON, as for HTTP/0.9. */
function isWhole(text: string, replies: readonly RawReply[]): boolean {
  if (replies.length > 0) return text.startsWith('HTTP/1.1 ');
  return text === '' || /^\{"code":"[a-z_]+",.*\}$/.test(text);
}
