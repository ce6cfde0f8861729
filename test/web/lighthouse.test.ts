import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../support/harness.ts';
import { lighthouseReport } from '../support/lighthouse.ts';

const BASE64 = 'iVBORw0KGgo'.repeat(1_000);

const REPORT = {
  categories: { performance: { score: 0.97 }, accessibility: { score: 1 } },
  audits: { interactive: { numericValue: 900 }, 'total-byte-weight': { numericValue: 1_024 } },
};

/** A program in place of Lighthouse, whose attempts end with these exit codes; a report has a screenshot. */
async function programOf(folder: string, codes: readonly number[], runtimeError?: string) {
  const path = join(folder, 'lighthouse.mjs');
  const report = {
    ...REPORT,
    screenshot: BASE64,
    ...(runtimeError && { runtimeError: { message: runtimeError } }),
  };
  await Bun.write(
    path,
    `import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
    appendFileSync('attempts', '.');
    const attempt = readFileSync('attempts', 'utf8').length - 1;
    const code = ${JSON.stringify(codes)}[attempt];
    console.log('${BASE64}');
    console.error('data:image/png;base64,${BASE64}\\nThe browser was closed.');
    if (code === 0) writeFileSync(process.argv.at(-1), ${JSON.stringify(JSON.stringify(report))});
    process.exit(code);`,
  );
  return [process.execPath, path];
}

async function attemptsIn(folder: string): Promise<number> {
  return (await Bun.file(join(folder, 'attempts')).text()).length;
}

test('a page whose measurement is aborted is tried again, with the reason in a line', async () => {
  using folder = temporaryFolder();
  const reasons: string[] = [];
  const command = await programOf(folder.path, [1, 1, 0]);
  const report = await lighthouseReport(command, {
    folder: folder.path,
    onRetry: (reason) => reasons.push(reason),
  });
  expect(report.categories.performance.score).toBe(0.97);
  expect(reasons).toEqual(['The browser was closed.', 'The browser was closed.']);
  expect(await attemptsIn(folder.path)).toBe(3);
});

test.each([
  ['its program fails', [1, 2, 3, 0], undefined, 'The browser was closed.'],
  ['its report names an error', [0, 0, 0, 0], `NO_FCP ${BASE64}`, 'NO_FCP …'],
] as const)('a page is given up after three attempts when %s', async (_, codes, error, reason) => {
  using folder = temporaryFolder();
  const command = await programOf(folder.path, codes, error);
  const failure = await lighthouseReport(command, { folder: folder.path }).catch(String);
  expect(failure).toBe(`Error: ${reason}`);
  expect(await attemptsIn(folder.path)).toBe(3);
});
