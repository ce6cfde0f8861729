import { expect, test } from 'bun:test';
import { describeWithBrowser } from './browser.ts';

const PAGE = { headers: { 'Content-Type': 'text/html' } };

/** Like the files of the dashboard. */
const CODE = {
  headers: { 'Content-Type': 'text/javascript', 'Cache-Control': 'max-age=31536000, immutable' },
};

/** A page with code that browsers may keep, which counts how often the code was loaded. */
function countingService() {
  let loads = 0;
  const server = Bun.serve({
    port: 0,
    routes: {
      '/': () => new Response('<script src="/code.js"></script>', PAGE),
      '/code.js': () => {
        loads += 1;
        return new Response('', CODE);
      },
    },
  });
  return {
    url: server.url.href,
    loads: () => loads,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

describeWithBrowser('a reused browser profile', (open) => {
  test('has the files of the service that it visited last, and of no other one', async () => {
    await using one = countingService();
    await using other = countingService();
    const loadsAfterVisit = async (service: typeof one) => {
      await using visitor = await open({ service: service.url });
      await visitor.page.goto(service.url);
      return service.loads();
    };
    expect(await loadsAfterVisit(one)).toBe(1);
    expect(await loadsAfterVisit(one)).toBe(1);
    expect(await loadsAfterVisit(other)).toBe(1);
    expect(await loadsAfterVisit(one)).toBe(2);
  });
});
