import { expect, test } from 'bun:test';
import { exampleProject, runExample } from './example-project.ts';

test('the examples of the README run, with node:test and with Bun', async () => {
  using project = await exampleProject();
  expect(await runExample(project.path, 'node:test')).toMatch(/# pass 1$/m);
  expect(await runExample(project.path, 'Bun')).toContain(' 1 pass');
});
