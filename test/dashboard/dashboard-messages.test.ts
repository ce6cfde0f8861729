import { describe, expect, test } from 'bun:test';
import { MESSAGE_MAX_LENGTH } from '../../src/core/messages/messages.ts';
import type { IssuedKeyInfo, KeyLink } from '../../src/dashboard/shared/api.ts';
import {
  createKey,
  customer,
  dashboardScene,
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
});
