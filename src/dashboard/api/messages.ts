import { type Message, messageStatus } from '../../core/messages.ts';
import type { MessageInfo } from '../shared/api.ts';
import { json } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

const MAX_MESSAGES = 100;

export const messageRoutes: readonly Route[] = [
  { method: 'GET', path: '/messages', access: 'account', handle: list },
];

async function list({ options, account }: AccountContext): Promise<Response> {
  const messages = await options.stores.messages.list(account.id, MAX_MESSAGES);
  return json<{ messages: readonly MessageInfo[] }>(200, { messages: messages.map(messageInfo) });
}

function messageInfo(message: Message): MessageInfo {
  const { id, environment, text, createdAt, deliveredAt } = message;
  const status = messageStatus(message);
  return { id, environment, text, status, createdAt, deliveredAt: deliveredAt ?? null };
}
