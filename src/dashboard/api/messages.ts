import { type Message, messageStatus } from '../../core/messages.ts';
import type { MessageInfo } from '../shared/api.ts';
import { json } from './replies.ts';
import type { Call, Route } from './route.ts';

const MOST_MESSAGES = 100;

export const messageRoutes: readonly Route[] = [
  { method: 'GET', path: '/messages', access: 'account', answer: list },
];

async function list({ options, account }: Call): Promise<Response> {
  const messages = await options.stores.messages.list(account.id, MOST_MESSAGES);
  return json<{ messages: readonly MessageInfo[] }>(200, { messages: messages.map(messageInfo) });
}

function messageInfo(message: Message): MessageInfo {
  const { id, environment, text, createdAt, deliveredAt } = message;
  const status = messageStatus(message);
  return { id, environment, text, status, createdAt, deliveredAt: deliveredAt ?? null };
}
