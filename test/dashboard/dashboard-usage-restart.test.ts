import { describe, expect, test } from 'bun:test';
import { createKey, usageOf } from '../support/dashboard-scene.ts';
import { LOOK_EVERY, Visitor } from '../support/dashboard-visitor.ts';
import { eventually, TestService, temporaryFolder } from '../support/harness.ts';
import { ServiceProcess } from '../support/process.ts';
import { onFolder } from '../support/storage.ts';

/** The dashboard and the API in two processes on one folder. */
async function apart() {
  const folder = temporaryFolder();
  const dashboard = await TestService.start({ folder: folder.path, parts: ['dashboard'] });
  const serve = () =>
    ServiceProcess.start(onFolder(folder.path), ['--only', 'production,staging,quickstart']);
  const api = await serve();
  const visitor = await Visitor.signUp(dashboard);
  const { text } = await createKey(visitor);
  return {
    api,
    visitor,
    serve,
    async send(service: ServiceProcess, times: number) {
      const headers = { Authorization: `Bearer ${text}` };
      for (let sent = 0; sent < times; sent += 1) {
        const { status } = await fetch(`${service.url()}/pets`, { headers });
        expect(status).toBe(200);
      }
    },
    async succeeded() {
      return (await usageOf(visitor)).days.reduce((sum, { succeeded }) => sum + succeeded, 0);
    },
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]();
      await dashboard[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

describe('usage', () => {
  test('is complete after SIGTERM, and continues after a restart', async () => {
    await using it = await apart();
    await it.send(it.api, 7);
    expect(await it.api.end('SIGTERM')).toBe(0);
    expect(await it.succeeded()).toBe(7);
    await using again = await it.serve();
    await it.send(again, 2);
    await again.end('SIGTERM');
    expect(await it.succeeded()).toBe(9);
  });

  test('that is ten seconds old survives SIGKILL, and is counted once', async () => {
    await using it = await apart();
    await it.send(it.api, 5);
    await eventually(async () => (await it.succeeded()) === 5, undefined, LOOK_EVERY);
    await it.send(it.api, 3);
    await it.api.end('SIGKILL');
    await using again = await it.serve();
    await it.send(again, 1);
    await again.end('SIGTERM');
    const kept = await it.succeeded();
    expect(kept).toBeGreaterThanOrEqual(5 + 1);
    expect(kept).toBeLessThanOrEqual(5 + 3 + 1);
  });

  test('of both windows is shown within about a second when another process counts', async () => {
    await using it = await apart();
    await it.send(it.api, 4);
    const windows = async () => (await usageOf(it.visitor)).windows.production;
    await eventually(async () => (await windows()).day.remaining === 996, undefined, LOOK_EVERY);
    const { minute } = await windows();
    expect(minute).toMatchObject({ limit: 60, remaining: 56 });
  });
});
