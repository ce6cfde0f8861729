import type { ApiKey } from '../../core/keys/api-keys.ts';
import { type Message, messageStatus } from '../../core/messages/messages.ts';
import type { MessageInfo } from '../shared/api.ts';
import { byId } from './by-id.ts';
import { keyLink } from './key-info.ts';
import { json } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

const MAX_MESSAGES = 100;

/**
 * Maximum size of the texts in one reply, in bytes of JSON. The longest message takes less than a
 * quarter of it.
 */
const MAX_TEXT_BYTES = 256 * 1024;

export const messageRoutes: readonly Route[] = [
  { method: 'GET', path: '/messages', access: 'account', handle: list },
];

async function list({ options, account }: AccountContext): Promise<Response> {
  const messages = await options.stores.messages.list(account.id, MAX_MESSAGES);
  const shown = newestThatFit(messages);
  const keyOf = await byId(
    options.stores.keys,
    shown.flatMap(({ keyId }) => keyId ?? []),
  );
  return json<{ messages: readonly MessageInfo[] }>(200, {
    messages: shown.map((message) => messageInfo(message, keyOf.get(message.keyId ?? ''))),
  });
}

function newestThatFit(messages: readonly Message[]): readonly Message[] {
  let bytes = 0;
  const end = messages.findIndex(({ text }) => {
    bytes += Buffer.byteLength(JSON.stringify(text));
    return bytes > MAX_TEXT_BYTES;
  });
  return end === -1 ? messages : messages.slice(0, end);
}

function messageInfo(message: Message, key: ApiKey | undefined): MessageInfo {
  const { id, environment, text, createdAt, deliveredAt } = message;
  const status = messageStatus(message);
  const details = { status, createdAt, deliveredAt: deliveredAt ?? null };
  return { id, key: key ? keyLink(key) : null, environment, text, ...details };
}
