import { expect, test } from 'bun:test';
import { readMessages } from '../../../src/core/messages/message-search.ts';
import type { Message } from '../../../src/core/messages/messages.ts';
import { account, type Backend, message, NOON, type OpenBackend, portSuite } from './backend.ts';

const EVERYTHING = 1_000_000;

/** Queues messages with these texts, one after the other. */
async function enqueue(
  { messages }: Backend,
  accountId: string,
  ...texts: string[]
): Promise<Message[]> {
  const queued = texts.map((text) => message(accountId, { text }));
  for (const each of queued) await messages.enqueue(each);
  return queued;
}

/** The texts of an inbox, the oldest first; those in the queue in brackets. */
async function inbox({ messages }: Backend, accountId: string): Promise<string[]> {
  const newestFirst = await messages.list(accountId, EVERYTHING);
  return newestFirst
    .toReversed()
    .map(({ text, deliveredAt }) => (deliveredAt === undefined ? `[${text}]` : text));
}

/** Tests of a message store, for every database. */
export const messageStoreSuite = portSuite('a message store', queueing, delivering, forgetting);

function queueing(open: OpenBackend): void {
  test.each([
    ['plain', 'Hello!'],
    ['of quotes and signs', `it's "quoted" %_?$1 \\`],
    ['of control characters', 'a\u0000b\r\n\t\u0001'],
    ['of nothing but spaces', '   '],
    ['as long as they may be', '🐕'.repeat(10_000)],
  ])('keeps texts as they are sent: %s', async (_, text) => {
    await using backend = await open();
    const { id } = await account(backend);
    const sent = message(id, { text, environment: 'staging', createdAt: NOON + 5 });
    await backend.messages.enqueue(sent);
    expect(await backend.messages.list(id, 1)).toStrictEqual([sent]);
  });

  test('lists the messages of one account, the newest first, by when they were queued', async () => {
    await using backend = await open();
    const [ada, bob] = [await account(backend), await account(backend, 'bob@example.com')];
    const first = message(ada.id, { createdAt: NOON + 9 });
    const second = message(ada.id, { createdAt: NOON - 9 });
    const third = message(ada.id, { createdAt: NOON });
    for (const each of [first, message(bob.id), second, third]) {
      await backend.messages.enqueue(each);
    }
    expect(await backend.messages.list(ada.id, EVERYTHING)).toEqual([third, second, first]);
    expect(await backend.messages.list(ada.id, 2)).toEqual([third, second]);
    expect(await backend.messages.list('acct_unknown', EVERYTHING)).toEqual([]);
    expect(await backend.messages.list(ada.id, 1, third.id)).toEqual([second]);
    expect(await backend.messages.list(ada.id, EVERYTHING, second.id)).toEqual([first]);
    expect(await backend.messages.list(ada.id, EVERYTHING, first.id)).toEqual([]);
    // The place of another account's message is no place in this inbox.
    expect(await backend.messages.list(bob.id, EVERYTHING, third.id)).toEqual([]);
    expect(await backend.messages.list(ada.id, EVERYTHING, 'msg_gone')).toEqual([]);
    expect(await backend.messages.find(ada.id, second.id)).toEqual(second);
    expect(await backend.messages.find(bob.id, second.id)).toBeUndefined();
    expect(await backend.messages.find(ada.id, 'msg_gone')).toBeUndefined();
  });

  test.each([
    ['kitten', ['Two KITTENS', 'a kitten']],
    ['КОТ', ['кот и Кот']],
    ['grüße', ['GRÜßE']],
    ['ΟΔΌΣ', ['οδός']],
    ['οδόσ', ['οδός']],
    ['"quoted" \\n', ['it is "quoted" \\n, not a line']],
    ['%', ['100%']],
    ['\n', ['line\nbreak']],
    ['\u0000b', ['A\u0000B']],
    ['🐈', ['a cat 🐈']],
    ['nothing like this', []],
  ])(
    'finds messages by a part of their text as it was sent, in any case: %j',
    async (text, found) => {
      await using backend = await open();
      const { id } = await account(backend);
      const texts = [
        ...[
          'a kitten',
          'Two KITTENS',
          'кот и Кот',
          'GRÜßE',
          'οδός',
          'it is "quoted" \\n, not a line',
        ],
        ...['100%', 'line\nbreak', 'A\u0000B', 'a cat 🐈'],
      ];
      await enqueue(backend, id, ...texts);
      const matching: string[] = [];
      for await (const { message, isFound } of readMessages(
        backend.messages,
        { accountId: id, text },
        1_000,
        () => {},
      )) {
        if (isFound) matching.push(message.text);
      }
      expect(matching).toEqual(found);
    },
  );

  test('tells of each new message of an account, and of its delivery', async () => {
    await using backend = await open();
    const [ada, bob] = [await account(backend), await account(backend, 'bob@example.com')];
    const activity = () => backend.messages.activity(ada.id);
    expect(await activity()).toEqual({ latest: undefined, queued: 0 });
    const [, second] = await enqueue(backend, ada.id, 'one', 'two');
    await enqueue(backend, bob.id, 'three');
    expect(await activity()).toEqual({ latest: second?.id, queued: 2 });
    await backend.messages.deliver(NOON, EVERYTHING);
    expect(await activity()).toEqual({ latest: second?.id, queued: 0 });
  });

  test('keeps a message once when it is queued again, before or after its delivery', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const [sent] = await enqueue(backend, id, 'once');
    if (!sent) throw new Error('nothing was sent');
    await backend.messages.enqueue(sent);
    expect(await inbox(backend, id)).toEqual(['[once]']);
    expect(await backend.messages.deliver(NOON, EVERYTHING)).toBe(1);
    await backend.messages.enqueue(sent);
    expect(await inbox(backend, id)).toEqual(['once']);
    expect(await backend.messages.queued()).toBe(0);
  });

  test('gives the message that is there already under an idempotency key, also when both come at once', async () => {
    await using backend = await open();
    const { messages } = backend;
    const { id } = await account(backend);
    const other = await account(backend, 'bob@example.com');
    const first = message(id, { text: 'first' });
    expect(await messages.enqueue(first, 'a')).toBeUndefined();
    expect(await messages.enqueue(first, 'a')).toBeUndefined();
    const second = message(id, { text: 'second', createdAt: NOON + 5 });
    const outcomes = await Promise.all([
      messages.enqueue(message(id, { text: 'repeated' }), 'a'),
      messages.enqueue(second, 'b'),
      messages.enqueue(message(id, { text: 'repeated' }), 'b'),
      messages.enqueue(message(id, { text: 'of staging', environment: 'staging' }), 'a'),
      messages.enqueue(message(other.id, { text: 'of another' }), 'a'),
      messages.enqueue(message(id, { text: 'unnamed' })),
    ]);
    expect(outcomes).toEqual([first, undefined, second, undefined, undefined, undefined]);
    await messages.deliver(NOON, EVERYTHING);
    expect(await messages.enqueue(message(id), 'a')).toEqual({ ...first, deliveredAt: NOON });
    expect(await inbox(backend, id)).toEqual(['first', 'second', 'of staging', 'unnamed']);
    expect(await inbox(backend, other.id)).toEqual(['of another']);
  });

  test('drops a message of an account that is gone, and keeps the others of that moment', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const gone = await account(backend, 'gone@example.com');
    await backend.accounts.delete(gone.id, NOON, 'test');
    await Promise.all([enqueue(backend, gone.id, 'late'), enqueue(backend, id, 'kept')]);
    expect(await inbox(backend, gone.id)).toEqual([]);
    expect(await inbox(backend, id)).toEqual(['[kept]']);
    expect(await backend.messages.queued()).toBe(1);
  });
}

function delivering(open: OpenBackend): void {
  test('delivers the oldest first, at most the given number, and returns how many', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    expect(await backend.messages.deliver(NOON, 10)).toBe(0);
    await enqueue(backend, id, 'a', 'b', 'c');
    expect(await backend.messages.queued()).toBe(3);
    expect(await backend.messages.deliver(NOON + 1, 2)).toBe(2);
    expect(await inbox(backend, id)).toEqual(['a', 'b', '[c]']);
    expect(await backend.messages.queued()).toBe(1);
    expect(await backend.messages.deliver(NOON + 2, 2)).toBe(1);
    const times = (await backend.messages.list(id, EVERYTHING)).map((each) => each.deliveredAt);
    expect(times).toEqual([NOON + 2, NOON + 1, NOON + 1]);
    expect(await backend.messages.deliver(NOON + 3, 2)).toBe(0);
    expect(await inbox(backend, id)).toEqual(['a', 'b', 'c']);
  });

  test('keeps the order of each of many accounts whose messages come mixed', async () => {
    await using backend = await open();
    const accounts = await Promise.all(
      Array.from({ length: 10 }, (_, index) => account(backend, `person${index}@example.com`)),
    );
    const texts = Array.from({ length: 20 }, (_, index) => String(index));
    await Promise.all(accounts.map(({ id }) => enqueue(backend, id, ...texts)));
    while ((await backend.messages.deliver(NOON, 7)) > 0) {
      for (const { id } of accounts) {
        const seen = await inbox(backend, id);
        const delivered = seen.filter((text) => !text.startsWith('['));
        const waiting = texts.slice(delivered.length).map((text) => `[${text}]`);
        expect(seen).toEqual([...texts.slice(0, delivered.length), ...waiting]);
      }
    }
    for (const { id } of accounts) expect(await inbox(backend, id)).toEqual(texts);
  });

  test('delivers each message once, also when several deliver at the same time', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const { id } = await account(backend);
    const texts = Array.from({ length: 50 }, (_, index) => String(index));
    await enqueue(backend, id, ...texts);
    const delivered: number[] = [];
    while ((await backend.messages.queued()) > 0) {
      const round = Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? backend : other).messages.deliver(NOON + index, 5),
      );
      delivered.push(...(await Promise.all(round)));
    }
    expect(delivered.reduce((sum, each) => sum + each, 0)).toBe(50);
    expect(await inbox(other, id)).toEqual(texts);
  });
}

function forgetting(open: OpenBackend): void {
  test('forgets what was delivered before a moment, and nothing that waits', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    await enqueue(backend, id, 'old');
    await backend.messages.deliver(NOON - 1, EVERYTHING);
    await enqueue(backend, id, 'young');
    await backend.messages.deliver(NOON, EVERYTHING);
    await enqueue(backend, id, 'waiting');
    await backend.messages.prune(NOON);
    expect(await inbox(backend, id)).toEqual(['young', '[waiting]']);
  });

  test('forgets thousands at once', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const texts = Array.from({ length: 2_001 }, (_, index) => String(index));
    await Promise.all(texts.map((text) => enqueue(backend, id, text)));
    await backend.messages.deliver(NOON, EVERYTHING);
    await backend.messages.prune(NOON + 1);
    expect(await inbox(backend, id)).toEqual([]);
  });

  test("deletes an account's messages, queued or delivered, and no other account's", async () => {
    await using backend = await open();
    const [ada, bob] = [await account(backend), await account(backend, 'bob@example.com')];
    await enqueue(backend, ada.id, 'delivered');
    await enqueue(backend, bob.id, 'kept');
    await backend.messages.deliver(NOON, EVERYTHING);
    await enqueue(backend, ada.id, 'queued');
    await backend.accounts.delete(ada.id, NOON, 'test');
    expect(await inbox(backend, ada.id)).toEqual([]);
    expect(await backend.messages.queued()).toBe(0);
    expect(await inbox(backend, bob.id)).toEqual(['kept']);
  });
}
