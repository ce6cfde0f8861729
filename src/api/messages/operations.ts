import { idempotencyKeyParameter } from '../../http/idempotency-key.ts';
import type { Operation } from '../../http/operation.ts';
import { MESSAGE_EXPECTATIONS, Message, MessageInput } from './schemas.ts';

/** The operation of the quickstart. `handlers.ts` has its handler. */
export const MESSAGE_OPERATIONS = {
  sendMessage: {
    method: 'POST',
    path: '/messages',
    summary: 'Send a message',
    description:
      'Queues a message for the inbox of the account, which the dashboard shows. The reply is sent ' +
      'once the message is on disk; it is delivered once, after those sent before it. With an ' +
      '`Idempotency-Key` the request may be sent again: for as long as the message is kept, 30 days, ' +
      'the first reply is given back and no second message is queued.',
    parameters: [
      idempotencyKeyParameter(
        'A text of your choice that names this message, such as a UUID. Scoped to the account and the environment of the key.',
      ),
    ],
    body: MessageInput,
    expectations: MESSAGE_EXPECTATIONS,
    noun: 'message',
    success: {
      status: 202,
      schema: Message,
      description: 'Message queued.',
      headers: ['Idempotent-Replayed'],
      example: Message.example,
    },
    errors: ['idempotency_mismatch'],
  },
} as const satisfies Record<string, Operation>;
