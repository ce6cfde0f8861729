/*
 * Run by `npm run check:testing`: the examples of testing/README.md, each with its runner. Vitest and Jest are
 * installed from the package registry.
 */
import { exampleProject, RUNNERS, type Runner, runExample } from './example-project.ts';

const runners: readonly Runner[] = ['Vitest', 'Jest', 'node:test', 'Bun'];
for (const runner of runners) {
  using project = await exampleProject(RUNNERS[runner].needs);
  await runExample(project.path, runner);
  process.stdout.write(`${runner}: the example passes.\n`);
}
