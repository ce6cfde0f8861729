import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS } from '../../src/config/settings.ts';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';

const ROOT = join(import.meta.dir, '..', '..');
const page = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');

/** The code blocks in one language. */
function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, block = '']) => block,
  );
}

test('the workflow and the composition of docs/testing.md are YAML, with settings that exist', () => {
  const [workflow, composition] = blocks(page, 'yaml').map((block) => Bun.YAML.parse(block));
  expect(workflow).toMatchObject({ jobs: { test: { steps: expect.any(Array) } } });
  expect(composition).toMatchObject({
    services: { petstore: { command: ['serve', '--ephemeral', '--fixture', '/fixture.json'] } },
  });
  const named = [...page.matchAll(/PETSTORE_PUBLIC_URL|PETSTORE_[A-Z_]+_DIR/g)].map(
    ([name]) => name,
  );
  expect(named.filter((name) => !Object.hasOwn(SETTINGS, name))).toEqual([]);
});

test('the fixture of docs/testing.md is one that a service begins with', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'fixture.json');
  const [, fixture = ''] = blocks(page, 'json');
  await Bun.write(path, fixture);
  const { code, stdout } = await runCommand(
    [
      'run',
      '--fixture',
      path,
      '--',
      process.execPath,
      '-e',
      'console.log(process.env.PETSTORE_URL)',
    ],
    { TMPDIR: folder.path },
  );
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^http:\/\/localhost:\d+\/v1\n$/)]);
});
