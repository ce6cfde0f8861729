import { describe, expect, test } from 'bun:test';
import { newId } from '../../src/core/ids.ts';
import { MESSAGE_MAX_LENGTH } from '../../src/core/messages/messages.ts';
import type { IssuedKeyInfo, KeyLink, MessagePage } from '../../src/dashboard/shared/api.ts';
import {
  createKey,
  customer,
  dashboardScene,
  expectRefusal,
  messagesOf,
  sendMessage,
} from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { TestService } from '../support/harness.ts';

function linkTo({ key: { id, name, lastFour } }: IssuedKeyInfo): KeyLink {
  return { id, name, lastFour };
}

describe('the inbox', () => {
  test('is empty at first', async () => {
    await using it = await dashboardScene();
    expect(await messagesOf(await customer(it.service))).toEqual([]);
  });

  test('holds what was sent with the keys of either environment, the newest first', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const live = await createKey(visitor);
    const staging = await createKey(visitor, { environment: 'staging' });
    const first = await sendMessage(it.service, live.text, 'Hello,\n"world" 🐈');
    const second = await sendMessage(it.service, staging.text, 'again');
    await it.service.runJobs('deliver messages');
    const now = it.clock.now().wall;
    const delivered = { status: 'delivered', createdAt: now, deliveredAt: now } as const;
    expect(await messagesOf(visitor)).toEqual([
      { id: second, key: linkTo(staging), environment: 'staging', text: 'again', ...delivered },
      {
        ...{ id: first, key: linkTo(live), environment: 'production' },
        ...{ text: 'Hello,\n"world" 🐈', ...delivered },
      },
    ]);
  });

  test('shows a message as queued until it is delivered', async () => {
    // A process without the quickstart delivers no messages.
    await using service = await TestService.start({ parts: ['dashboard'] });
    const visitor = await Visitor.signUp(service);
    const { messages } = service.stores;
    const message = {
      id: 'msg_1',
      environment: 'production',
      text: 'Hello',
      createdAt: 1,
    } as const;
    const { accountId } = visitor;
    await messages.enqueue({ ...message, accountId, deliveredAt: undefined });
    expect(await messagesOf(visitor)).toEqual([
      { ...message, key: null, status: 'queued', deliveredAt: null },
    ]);
    await messages.deliver(2, 1);
    expect(await messagesOf(visitor)).toEqual([
      { ...message, key: null, status: 'delivered', deliveredAt: 2 },
    ]);
  });

  test.each([
    ['🐈', 6],
    ['\u0001', 4],
  ])(
    'shows as many of the newest as fit into 256 KiB of text: long ones of %j',
    async (letter, shown) => {
      await using service = await TestService.start({ parts: ['dashboard'] });
      const visitor = await Visitor.signUp(service);
      const { accountId } = visitor;
      for (let number = 1; number <= 9; number += 1) {
        await service.stores.messages.enqueue({
          id: `msg_${number}`,
          accountId,
          environment: 'production',
          text: letter.repeat(MESSAGE_MAX_LENGTH),
          createdAt: number,
          deliveredAt: undefined,
        });
      }
      const newest = ['msg_9', 'msg_8', 'msg_7', 'msg_6', 'msg_5', 'msg_4'].slice(0, shown);
      expect((await messagesOf(visitor)).map(({ id }) => id)).toEqual(newest);
    },
  );

  test('shows the 100 newest', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { text } = await createKey(visitor);
    const sent: string[] = [];
    for (let number = 0; number < 103; number += 1) {
      sent.push(await sendMessage(it.service, text, `message ${number}`));
    }
    expect((await messagesOf(visitor)).map(({ id }) => id)).toEqual(sent.reverse().slice(0, 100));
  });

  test('has pages, of which each continues where the one before ended', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const sent = await fill(it.service, visitor, 250, (number) => `message ${number}`);
    const pages = await pagesOf(visitor, '');
    expect(pages.map((page) => page.length)).toEqual([100, 100, 50]);
    expect(pages.flat()).toEqual(sent.toReversed());
    const page = await visitor.json<MessagePage>('GET', `/api/messages?before=${sent[0]}`);
    expect(page).toEqual({ messages: [], next: null });
    // A message of somebody else is no place in this inbox.
    const other = await customer(it.service);
    await fill(it.service, other, 1, () => 'mine');
    expect(await other.json<MessagePage>('GET', `/api/messages?before=${sent[9]}`)).toEqual(page);
  });

  test('finds messages by a part of the text, however far back, in any case', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const other = await customer(it.service);
    await fill(it.service, other, 1, () => 'a Kätzchen of another account');
    const [first = ''] = await fill(it.service, visitor, 1, () => 'Das KÄTZCHEN  ist da');
    await fill(it.service, visitor, 5_000, (number) => `message ${number}`);
    for (const text of ['kätzchen', 'KÄTZCHEN  IST', 'Das k']) {
      const pages = await pagesOf(visitor, `text=${encodeURIComponent(text)}`);
      expect([text, pages.flat()]).toEqual([text, [first]]);
    }
    expect((await pagesOf(visitor, 'text=message%2049')).flat()).toHaveLength(111);
    expect((await pagesOf(visitor, 'text=kätzchen%20ist')).flat()).toEqual([]);
    const long = await visitor.get(`/api/messages?text=${'a'.repeat(201)}`);
    await expectRefusal(long, 400, 'invalid');
  });

  test('reads at most two million characters at once, and says where to go on', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const long = 'я'.repeat(MESSAGE_MAX_LENGTH);
    const [first = ''] = await fill(it.service, visitor, 1, () => 'Kätzchen');
    await fill(it.service, visitor, 250, () => long);
    const page = await visitor.json<MessagePage>('GET', '/api/messages?text=kätzchen');
    expect(page).toEqual({ messages: [], next: expect.stringMatching(/^msg_/) });
    expect((await pagesOf(visitor, 'text=kätzchen')).flat()).toEqual([first]);
    const left = async (query: string) => {
      const reply = await visitor.get(`/api/messages${query}`);
      return Number(reply.headers.get('X-RateLimit-Remaining'));
    };
    const before = await left('');
    const costs = [before - (await left('?text=a')), before - (await left('?format=csv'))];
    expect(costs).toEqual([4, 24]);
  });

  test('is a CSV file, too, with what was searched for', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { key, text } = await createKey(visitor, { name: 'shop' });
    await fill(it.service, visitor, 250, (number) => `older ${number}`);
    const id = await sendMessage(it.service, text, '=Kätzchen, "two"');
    // At most 100 at once.
    for (let run = 0; run < 3; run += 1) await it.service.runJobs('deliver messages');
    const lines = async (query: string) => {
      const reply = await visitor.get(`/api/messages?format=csv${query}`);
      expect(reply.headers.get('Content-Disposition')).toContain('messages.csv');
      return (await reply.text()).trimEnd().split('\r\n');
    };
    const at = new Date(it.clock.now().wall).toISOString();
    const head = 'id,created_at,delivered_at,environment,key_id,key_name,status,text';
    const row = `${id},${at},${at},production,${key.id},shop,delivered,"'=Kätzchen, ""two"""`;
    expect(await lines('&text=kätz')).toEqual([head, row]);
    const all = await lines('');
    expect([all.length, ...all.slice(0, 2)]).toEqual([252, head, row]);
    await expectRefusal(await visitor.get('/api/messages?format=xml'), 400, 'invalid');
  });
});

/** Queues messages of a visitor, one after the other; returns their ids. */
async function fill(
  { stores }: TestService,
  { accountId }: Visitor,
  count: number,
  textOf: (number: number) => string,
): Promise<string[]> {
  const messages = Array.from({ length: count }, (_, number) => ({
    id: newId('msg', number + 1),
    accountId,
    environment: 'production' as const,
    text: textOf(number),
    createdAt: number + 1,
    deliveredAt: undefined,
  }));
  await Promise.all(messages.map((message) => stores.messages.enqueue(message)));
  return messages.map(({ id }) => id);
}

/** The ids of the messages on all pages of a list. */
async function pagesOf(visitor: Visitor, query: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let before: string | null = ''; before !== null; ) {
    const path: string = `/api/messages?${query}${before === '' ? '' : `&before=${before}`}`;
    const { messages, next }: MessagePage = await visitor.json('GET', path);
    pages.push(messages.map(({ id }) => id));
    before = next;
  }
  return pages;
}
