/*
 * Run by `npm run check:testing`: the examples of testing/README.md, each with its runner. Vitest and Jest are
 * installed from the package registry.
 */
import { exampleProject, RUNNERS, type Runner, run, runExample } from './example-project.ts';

const runners: readonly Runner[] = ['Vitest', 'Jest', 'node:test', 'Bun'];
for (const runner of runners) {
  const { needs } = RUNNERS[runner];
  using project = await exampleProject();
  if (needs.length > 0) {
    await run(['npm', 'install', '--no-audit', '--no-fund', ...needs], project.path);
  }
  await runExample(project.path, runner);
  process.stdout.write(`${runner}: the example passes.\n`);
}
