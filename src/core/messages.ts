import type { Environment } from './environments.ts';

/** The longest message, in Unicode code points. */
export const MESSAGE_MAX_LENGTH = 10_000;

/** A message on its way to its account's inbox, or in it. Times are epoch ms. */
export interface Message {
  /** `msg_` and a UUIDv7. */
  readonly id: string;
  readonly accountId: string;
  /** Of the key that it was sent with. */
  readonly environment: Environment;
  readonly text: string;
  readonly createdAt: number;
  /** None while it is queued. */
  readonly deliveredAt: number | undefined;
}

export type MessageStatus = 'queued' | 'delivered';

export function messageStatus({ deliveredAt }: Message): MessageStatus {
  return deliveredAt === undefined ? 'queued' : 'delivered';
}
