import { expect, test } from 'bun:test';
import { describeWithBrowser } from './browser.ts';

const PAGE = { headers: { 'Content-Type': 'text/html' } };

/** Like the files of the dashboard. */
const CODE = {
  headers: { 'Content-Type': 'text/javascript', 'Cache-Control': 'max-age=31536000, immutable' },
};

describeWithBrowser('a reused browser profile', (open) => {
  test('has none of the files that an earlier visitor has loaded', async () => {
    let loads = 0;
    await using server = Bun.serve({
      port: 0,
      routes: {
        '/': () => new Response('<script src="/code.js"></script>', PAGE),
        '/code.js': () => {
          loads += 1;
          return new Response('', CODE);
        },
      },
    });
    const service = server.url.href;
    for (const expected of [1, 2]) {
      await using visitor = await open({ service });
      await visitor.page.goto(service);
      expect(loads).toBe(expected);
    }
  });
});
