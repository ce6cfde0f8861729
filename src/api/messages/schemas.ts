import { MESSAGE_MAX_LENGTH } from '../../core/messages/messages.ts';

/** With commas. `toLocaleString` would load the rules of every locale and delay the start. */
const MESSAGE_LENGTH = String(MESSAGE_MAX_LENGTH).replace(/\B(?=(?:\d{3})+$)/g, ',');

const message = {
  type: 'string',
  minLength: 1,
  maxLength: MESSAGE_MAX_LENGTH,
  description: `The text: 1 to ${MESSAGE_LENGTH} characters (Unicode code points). Kept as sent.`,
  example: 'Hello, petstore!',
} as const;

export const MessageInput = {
  type: 'object',
  required: ['message'],
  properties: { message },
  description: 'A message to send. Other fields are ignored.',
  example: { message: 'Hello, petstore!' },
} as const;

export const KnownMessageStatus = {
  type: 'string',
  enum: ['queued', 'delivered'],
  description: 'States of a message that this version knows.',
} as const;

export const Message = {
  type: 'object',
  required: ['id', 'message', 'status', 'createdAt'],
  properties: {
    id: {
      type: 'string',
      pattern: '^msg_[0-9a-f]{32}$',
      description: 'Unique identifier: `msg_` and a UUIDv7 without its dashes.',
      example: 'msg_019a9f2e8c4b7d10a3f5b6c7d8e9f001',
    },
    message,
    status: {
      // Open, like the code of an error: a later 1.x may add states.
      type: 'string',
      $defs: { known: KnownMessageStatus },
      description: '`queued` when it was accepted; the dashboard shows when it is `delivered`.',
    },
    createdAt: {
      type: 'string',
      format: 'date-time',
      description: 'When it was accepted; ISO 8601, UTC.',
      example: '2026-11-21T09:30:00.000Z',
    },
  },
  description: 'A message on its way to the inbox.',
  example: {
    id: 'msg_019a9f2e8c4b7d10a3f5b6c7d8e9f001',
    message: 'Hello, petstore!',
    status: 'queued',
    createdAt: '2026-11-21T09:30:00.000Z',
  },
} as const;

/** By the names that the OpenAPI document gives them. */
export const MESSAGE_SCHEMAS = { MessageInput, Message, KnownMessageStatus } as const;

/** What a field of MessageInput must be, in the words of an error message. */
export const MESSAGE_EXPECTATIONS: Readonly<Record<string, string>> = {
  message: `a string of 1 to ${MESSAGE_LENGTH} Unicode characters`,
};
