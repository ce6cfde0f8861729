import { apiError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { type Message, type MessageStore, messageStatus } from '../../core/messages/messages.ts';
import { bodyReader } from '../../http/body/json-body.ts';
import type { Handlers, RequestContext } from '../../http/handler.ts';
import { IDEMPOTENCY_KEY, REPLAYED } from '../../http/idempotency-key.ts';
import type { Reply } from '../../http/reply/reply.ts';
import { MESSAGE_OPERATIONS } from './operations.ts';

const readMessage = bodyReader(MESSAGE_OPERATIONS.sendMessage);

/** The handler of the quickstart's operation. */
export function messageHandlers(messages: MessageStore): Handlers<typeof MESSAGE_OPERATIONS> {
  return { sendMessage: (context) => sendMessage(messages, context) };
}

async function sendMessage(
  messages: MessageStore,
  { key, request, now, parameters }: RequestContext<(typeof MESSAGE_OPERATIONS)['sendMessage']>,
): Promise<Reply> {
  const { [IDEMPOTENCY_KEY]: idempotencyKey } = parameters;
  const { message: text } = await readMessage(request);
  const { id: keyId, accountId, environment } = key;
  const createdAt = now.wall;
  const message: Message = {
    id: newId('msg', createdAt),
    ...{ accountId, keyId, environment, text, createdAt },
    deliveredAt: undefined,
  };
  const earlier = await messages.enqueue(message, idempotencyKey);
  if (!earlier) return { status: 202, body: messageJson(message) };
  if (earlier.text !== text) {
    throw apiError('idempotency_mismatch', { noun: MESSAGE_OPERATIONS.sendMessage.noun });
  }
  // The first reply is repeated, even if the message has been delivered since.
  const body = messageJson({ ...earlier, deliveredAt: undefined });
  return { status: 202, body, headers: REPLAYED };
}

function messageJson(message: Message): string {
  return JSON.stringify({
    id: message.id,
    message: message.text,
    status: messageStatus(message),
    createdAt: new Date(message.createdAt).toISOString(),
  });
}
