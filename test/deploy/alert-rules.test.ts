import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const RULES = join(import.meta.dir, '..', '..', 'deploy', 'prometheus', 'alerts.yml');
const TESTS = join(import.meta.dir, 'alert-rules.yml');
const PROMTOOL = Bun.which('promtool');
if (!PROMTOOL) console.warn('Tests of the alert rules are skipped: install promtool to run them.');

async function promtool(...args: readonly string[]) {
  const child = Bun.spawn([PROMTOOL ?? 'promtool', ...args], { stdout: 'pipe', stderr: 'pipe' });
  const outputs = [new Response(child.stdout).text(), new Response(child.stderr).text()];
  const said = (await Promise.all(outputs)).join('');
  return { code: await child.exited, said };
}

describe('the alert rules', () => {
  test('each have a test in which they fire', () => {
    const names = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)];
    const tests = readFileSync(TESTS, 'utf8');
    const fired = [...tests.matchAll(/alertname="(\w+)"/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(10);
    expect(new Set(fired)).toEqual(new Set(names.map(([, name]) => name)));
  });

  test.skipIf(!PROMTOOL)('are valid', async () => {
    expect(await promtool('check', 'rules', RULES)).toMatchObject({ code: 0 });
  });

  test.skipIf(!PROMTOOL)('fire when they should, and only then', async () => {
    const { code, said } = await promtool('test', 'rules', TESTS);
    expect([code, said]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });
});
