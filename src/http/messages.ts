import { NEW_MESSAGE_EXPECTATIONS, NewMessage } from '../contract/schemas.ts';
import { newId } from '../core/ids.ts';
import { type Message, messageStatus } from '../core/messages.ts';
import type { MessageStore } from '../core/ports.ts';
import { readJsonBody } from './body.ts';
import { bodyParser } from './body-parser.ts';
import type { Call, Handlers } from './handler.ts';
import type { Reply } from './reply.ts';

const parse = bodyParser(NewMessage, NEW_MESSAGE_EXPECTATIONS);

/** The quickstart's operation. */
export function messageOperations(messages: MessageStore) {
  return { sendMessage: (call) => sendMessage(messages, call) } satisfies Handlers;
}

async function sendMessage(messages: MessageStore, { key, request, now }: Call): Promise<Reply> {
  const { message: text } = await parse(await readJsonBody(request));
  const createdAt = now.wall;
  const message: Message = {
    id: newId('msg', createdAt),
    accountId: key.accountId,
    environment: key.environment,
    text,
    createdAt,
    deliveredAt: undefined,
  };
  await messages.enqueue(message);
  return { status: 202, body: messageJson(message) };
}

function messageJson(message: Message): string {
  return JSON.stringify({
    id: message.id,
    message: message.text,
    status: messageStatus(message),
    createdAt: new Date(message.createdAt).toISOString(),
  });
}
