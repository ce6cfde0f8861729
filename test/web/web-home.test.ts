import { expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import {
  checkAccessibility,
  DESKTOP,
  describeWithBrowser,
  layoutShift,
} from '../support/browser.ts';
import type { TestService } from '../support/harness.ts';
import { isTooWide } from './web-entrance.ts';
import { LOOKS, startWithPages } from './web-sign-in-scene.ts';

/** A reply as it is shown, without the values that differ from request to request. */
interface ShownReply {
  readonly status: string;
  readonly headers: readonly string[];
  readonly body: Record<string, unknown>;
}

const CHANGING = ['createdAt', 'updatedAt'];

describeWithBrowser('the start page of visitors', (open) => {
  test('shows calls with the replies that the service sends', async () => {
    await using service = await startWithPages();
    await using visitor = await open({ service: service.dashboardUrl });
    const { page } = visitor;
    await page.goto(service.dashboardUrl);
    const shown = async (title: string) => {
      const request = page.getByRole('group', { name: `Request: ${title}` });
      const reply = page.getByRole('group', { name: `Reply: ${title}` });
      return {
        request: (await request.textContent()) ?? '',
        reply: readReply((await reply.textContent()) ?? ''),
      };
    };
    const { secret } = await service.account(subscribe('free'));
    for (const title of ['Add an animal', 'Order it']) {
      const { request, reply } = await shown(title);
      expect(await send(service, request, secret)).toEqual(reply);
    }
    const { request, reply } = await shown('Meet a limit');
    for (let sent = 2; sent < 60; sent++) await send(service, request, secret);
    expect(await send(service, request, secret)).toEqual(reply);
    expect(visitor.problems).toEqual([]);
  });

  test('has an icon, and a picture for shared links, in the blue of the pages', async () => {
    await using service = await startWithPages();
    await using visitor = await open({ service: service.dashboardUrl });
    const { page } = visitor;
    await page.goto(service.dashboardUrl);
    const shared = await page.locator('meta[property="og:image"]').getAttribute('content');
    const blue = await page
      .getByRole('link', { name: 'Create account' })
      .first()
      .evaluate((link) => getComputedStyle(link).backgroundColor);
    for (const picture of ['/favicon.svg', '/favicon.ico', shared ?? '']) {
      expect([picture, await page.evaluate(colorAtTop, picture)]).toEqual([picture, blue]);
    }
    expect(visitor.problems).toEqual([]);
  });

  test('shows no order where orders are not served', async () => {
    await using service = await startWithPages({ settings: { PETSTORE_STABILITY: 'stable' } });
    await using visitor = await open({ service: service.dashboardUrl });
    await visitor.page.goto(service.dashboardUrl);
    await visitor.page.getByRole('heading', { name: 'Meet a limit' }).waitFor();
    expect(await visitor.page.getByRole('heading', { name: 'Order it' }).count()).toBe(0);
    expect(visitor.problems).toEqual([]);
  });

  test('shows them and the four ways in in one view of a desktop', async () => {
    await using service = await startWithPages();
    await using visitor = await open({
      service: service.dashboardUrl,
      viewport: { ...DESKTOP, height: 900 },
    });
    const { page } = visitor;
    await page.goto(service.dashboardUrl);
    for (const name of ['Call it', 'Test with it', 'Give it to an agent', 'Operate it']) {
      const box = await page.getByRole('heading', { name }).boundingBox();
      expect((box?.y ?? Number.NaN) + (box?.height ?? 0)).toBeLessThan(900);
    }
    const ways = page.getByRole('region', { name: 'Ways in' }).getByRole('link');
    for (const address of await ways.evaluateAll((links) =>
      links.map((link) => link.getAttribute('href')),
    )) {
      expect((await fetch(service.dashboardUrl + address)).status).toBe(200);
    }
  });

  test.each(LOOKS)('is sound in %j', async (look) => {
    await using service = await startWithPages();
    await using visitor = await open({ service: service.dashboardUrl, ...look });
    await visitor.page.goto(service.dashboardUrl);
    await visitor.page.getByRole('heading', { name: 'Order it' }).waitFor();
    expect(await checkAccessibility(visitor.page)).toEqual([]);
    expect([await layoutShift(visitor.page), await isTooWide(visitor)]).toEqual([0, false]);
    expect(visitor.problems).toEqual([]);
  });
});

function readReply(text: string): ShownReply {
  const [head = '', body = ''] = text.split('\n\n');
  const [status = '', ...headers] = head.split('\n');
  return { status, headers: headers.filter(isFixed).sort(), body: withoutTimes(JSON.parse(body)) };
}

/** Sends the request of a command of curl, and reads the headers that the page shows. */
async function send(service: TestService, command: string, key: string): Promise<ShownReply> {
  const [, address = ''] = /curl -i (\S+)/.exec(command) ?? [];
  expect(address).toStartWith(service.url());
  const body = /-d '(.*)'/.exec(command)?.[1];
  const reply = await fetch(address, {
    headers: {
      Authorization: `Bearer ${key}`,
      ...(command.includes('application/json') && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { method: 'POST', body }),
  });
  const headers = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'Retry-After'].flatMap((name) => {
    const value = reply.headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  const json: Record<string, unknown> = Object(await reply.json());
  return {
    status: `${reply.status} ${reply.statusText}`,
    headers: headers.filter(isFixed).sort(),
    body: withoutTimes(json),
  };
}

/** Whether a header has the same value at any time. */
function isFixed(header: string): boolean {
  return !/^(?:X-RateLimit-Reset|Retry-After):/.test(header);
}

function withoutTimes(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !CHANGING.includes(name)));
}

/** The color of a picture near the middle of its top, where its background shows. */
async function colorAtTop(source: string): Promise<string> {
  const picture = new Image();
  picture.src = source;
  await picture.decode();
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const context = canvas.getContext('2d');
  context?.drawImage(picture, 0, 0);
  const pixel = context?.getImageData(picture.width / 2, picture.height / 16, 1, 1);
  const [red, green, blue] = pixel?.data ?? [];
  return `rgb(${red}, ${green}, ${blue})`;
}
