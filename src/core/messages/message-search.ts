import type { Awaitable } from '../../lib/awaitable.ts';
import type { Message, MessageStore } from './messages.ts';

/** Messages that are read at once; the longest ones take about 3 ms. */
const READ_AT_ONCE = 100;

/** The most messages that one search or download reads. */
const MOST_READ = 10_000;

/** The most characters of texts that one search reads, in up to 0.1 s, and one download, in up to 0.4 s. */
export const MOST_CHARACTERS = { search: 2_000_000, download: 10_000_000 } as const;

/** The messages that are read. */
export interface MessageSelection {
  readonly accountId: string;
  /** The part of the text to find; every message is found by default. */
  readonly text?: string | undefined;
  /** The id of a message: only earlier ones are read. */
  readonly before?: string | undefined;
}

/** A message that a search has read. */
export interface ReadMessage {
  readonly message: Message;
  readonly isFound: boolean;
}

/**
 * Reads messages, the newest first, and compares their texts as they were sent, without regard to upper and lower
 * case. In JavaScript, because the databases treat case differently.
 * @param mostCharacters of the texts that are read.
 * @param pause lets others through between two slices.
 * @returns whether all messages were read.
 */
export async function* readMessages(
  store: Pick<MessageStore, 'list'>,
  { accountId, text, before }: MessageSelection,
  mostCharacters: number,
  pause: () => Awaitable<void>,
): AsyncGenerator<ReadMessage, boolean> {
  const wanted = text === undefined ? undefined : withoutCase(text);
  let characters = 0;
  for (let read = 0, last = before; read < MOST_READ; read += READ_AT_ONCE) {
    if (read > 0) await pause();
    const slice = await store.list(accountId, READ_AT_ONCE, last);
    for (const message of slice) {
      if (characters > mostCharacters) return false;
      characters += message.text.length;
      yield {
        message,
        isFound: wanted === undefined || withoutCase(message.text).includes(wanted),
      };
    }
    if (slice.length < READ_AT_ONCE) return true;
    last = slice.at(-1)?.id;
  }
  return false;
}

/** The text in lower case. A final sigma is a sigma: only its place in the word tells them apart. */
function withoutCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}
