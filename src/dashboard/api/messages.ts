import type { ApiKey } from '../../core/keys/api-keys.ts';
import {
  type MessageSelection,
  MOST_CHARACTERS,
  readMessages,
} from '../../core/messages/message-search.ts';
import { type Message, messageStatus } from '../../core/messages/messages.ts';
import { csvLine } from '../../lib/csv.ts';
import { DashboardError } from '../errors.ts';
import type { DashboardStores } from '../options.ts';
import type { MessageInfo, MessagePage } from '../shared/api.ts';
import { byId } from './by-id.ts';
import { download, PAUSE, ROWS_AT_ONCE } from './download.ts';
import { keyLink } from './key-info.ts';
import { textIn } from './query.ts';
import { json } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

const MAX_MESSAGES = 100;

/**
 * Maximum size of the texts in one reply, in bytes of JSON. The longest message takes less than a
 * quarter of it.
 */
const MAX_TEXT_BYTES = 256 * 1024;

const CSV_COLUMNS = [
  ...['id', 'created_at', 'delivered_at', 'environment', 'key_id', 'key_name', 'status', 'text'],
];

export const messageRoutes: readonly Route[] = [
  { method: 'GET', path: '/messages', access: 'account', handle: list },
];

async function list({ options, account, query }: AccountContext): Promise<Response> {
  const { stores } = options;
  // Spaces are a part of the text.
  const text = textIn(query, 'text') === undefined ? undefined : (query.get('text') ?? undefined);
  const selection = { accountId: account.id, text, before: textIn(query, 'before') };
  const format = query.get('format');
  if (format === 'csv') {
    return download('messages.csv', 'text/csv; charset=utf-8', csvPieces(selection, stores));
  }
  if (format !== null) throw new DashboardError('invalid', '"format" must be csv.');
  const id = textIn(query, 'id');
  if (id !== undefined) {
    const message = await stores.messages.find(account.id, id);
    const messages = await messageInfos(message ? [message] : [], stores);
    return json<MessagePage>(200, { messages, next: null });
  }
  const { found, next } = await pageOf(selection, stores);
  return json<MessagePage>(200, { messages: await messageInfos(found, stores), next });
}

/** The newest selected messages that fit into one reply, and where the next page begins. */
async function pageOf(
  selection: MessageSelection,
  { messages }: Pick<DashboardStores, 'messages'>,
): Promise<{ readonly found: readonly Message[]; readonly next: string | null }> {
  const found: Message[] = [];
  let bytes = 0;
  let last = selection.before;
  const reading = readMessages(messages, selection, MOST_CHARACTERS.search, pause);
  for (;;) {
    const { done, value } = await reading.next();
    if (done) return { found, next: value ? null : (last ?? null) };
    const { message, isFound } = value;
    if (isFound) bytes += Buffer.byteLength(JSON.stringify(message.text));
    if (found.length === MAX_MESSAGES || bytes > MAX_TEXT_BYTES) {
      return { found, next: last ?? null };
    }
    if (isFound) found.push(message);
    last = message.id;
  }
}

/** The selected messages among the latest ones, as CSV. */
async function* csvPieces(
  selection: MessageSelection,
  stores: DashboardStores,
): AsyncGenerator<string> {
  yield csvLine(CSV_COLUMNS);
  let found: Message[] = [];
  let read = 0;
  // The download pauses between two pieces.
  const reading = readMessages(stores.messages, selection, MOST_CHARACTERS.download, () => {});
  for await (const { message, isFound } of reading) {
    if (isFound) found.push(message);
    read += 1;
    if (read % ROWS_AT_ONCE > 0) continue;
    yield await csvOf(found, stores);
    found = [];
  }
  yield await csvOf(found, stores);
}

async function csvOf(found: readonly Message[], stores: DashboardStores): Promise<string> {
  const keyOf = await keysOf(found, stores);
  const lines = found.map((message) => {
    const { id, createdAt, deliveredAt, environment, keyId = '', text } = message;
    const times = [createdAt, deliveredAt].map((at) =>
      at === undefined ? null : new Date(at).toISOString(),
    );
    const key = keyOf.get(keyId)?.name ?? null;
    return csvLine([id, ...times, environment, keyId, key, messageStatus(message), text]);
  });
  return lines.join('');
}

async function messageInfos(
  found: readonly Message[],
  stores: Pick<DashboardStores, 'keys'>,
): Promise<MessageInfo[]> {
  const keyOf = await keysOf(found, stores);
  return found.map((message) => messageInfo(message, keyOf.get(message.keyId ?? '')));
}

function keysOf(found: readonly Message[], { keys }: Pick<DashboardStores, 'keys'>) {
  const ids = found.flatMap(({ keyId }) => keyId ?? []);
  return byId(keys, ids);
}

function messageInfo(message: Message, key: ApiKey | undefined): MessageInfo {
  const { id, environment, text, createdAt, deliveredAt } = message;
  const status = messageStatus(message);
  const details = { status, createdAt, deliveredAt: deliveredAt ?? null };
  return { id, key: key ? keyLink(key) : null, environment, text, ...details };
}

function pause(): Promise<void> {
  return Bun.sleep(PAUSE);
}
