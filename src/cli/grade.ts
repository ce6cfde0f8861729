import { type Command, InvalidArgumentError, Option } from 'commander';
import { PARTS } from '../config/config.ts';
import { exemptFromProxies, startEnvironment } from '../config/process-environment.ts';
import { readThrowawayConfig } from '../config/throwaway.ts';
import { messageOf, OperatorError } from '../core/errors.ts';
import type { Examination, Grade } from '../grade/grade.ts';
import { badgeSvg } from '../grade/reports/badge.ts';
import { gradesJson } from '../grade/reports/json.ts';
import { junitXml } from '../grade/reports/junit.ts';
import { gradeText, summaryOf, summaryText } from '../grade/reports/text.ts';
import type { Scenario } from '../grade/scenario.ts';
import { SCENARIOS } from '../grade/scenarios/all.ts';
import { TASKS } from '../grade/tasks.ts';
import { systemClock } from '../lib/clock.ts';
import { LineWriter } from '../observability/line-writer.ts';
import { createLog } from '../observability/log.ts';
import { beginThrowaway } from '../throwaway/throwaway-service.ts';
import { CommandExit, FAILED } from './errors.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { printJson, printLine } from './output.ts';
import { addressesAndKeys, exitCodeOfSignal, PASSED_ON } from './run-command.ts';
import { start } from './serve.ts';

const STDERR = 2;

/** Pets in the store at the start: enough for a list of several pages of any size. */
const PETS = 250;

interface Options extends JsonOption {
  /** `SCENARIOS` itself unless the user names some. */
  readonly only: readonly Scenario[];
  readonly junit?: string;
  readonly badge?: string;
}

export function addGradeCommand(program: Command): void {
  program
    .command('grade')
    .description(
      'Grade an API client: run it in one scenario after the other against a throwaway service.',
    )
    .addOption(
      new Option('--only <names>', 'scenarios to run, separated by commas')
        .argParser(parseNames)
        .default(SCENARIOS, 'all'),
    )
    .option('--junit <file>', 'write the results as JUnit XML')
    .option('--badge <file>', 'write the marks as an SVG')
    .addOption(jsonOption())
    .argument('<command...>', 'the client and its arguments, after --')
    .passThroughOptions()
    .addHelpText('after', helpText())
    .action(run);
}

function helpText(): string {
  const width = Math.max(...Object.keys(TASKS).map((name) => name.length)) + 2;
  const tasks = Object.entries(TASKS).map(([name, { does }]) => `  ${name.padEnd(width)}${does}`);
  return `
The client is run once for each scenario. It reads its task from PETSTORE_TASK, sends its requests to
PETSTORE_URL with the key PETSTORE_KEY, prints only ids on standard output, one on each line, and exits
with code 0 if the task is done. docs/grade.md has an example.

Tasks:
${tasks.join('\n')}

Scenarios:
${SCENARIOS.map(({ name }) => `  ${name}`).join('\n')}`;
}

function parseNames(names: string): readonly Scenario[] {
  return names.split(',').map((name) => {
    const scenario = SCENARIOS.find((each) => each.name === name);
    if (scenario) return scenario;
    const known = SCENARIOS.map((each) => each.name).join(', ');
    throw new InvalidArgumentError(`There is no scenario "${name}". Use ${known}.`);
  });
}

async function run(command: readonly string[], options: Options): Promise<void> {
  const { only, json, junit, badge } = options;
  const interrupted = new AbortController();
  const interrupt = (signal: NodeJS.Signals) =>
    interrupted.abort(new CommandExit(exitCodeOfSignal(signal)));
  for (const signal of PASSED_ON) process.on(signal, interrupt);
  try {
    const grades = await gradeAll(only, command, interrupted.signal, (each) => {
      if (!json) printLine(gradeText(each));
    });
    if (json) printJson(gradesJson(grades));
    else printLine(summaryText(grades));
    if (junit !== undefined) await write(junit, junitXml(grades));
    if (badge !== undefined) await write(badge, badgeSvg(grades));
    const last = grades.at(-1);
    if (last?.ignoredTask !== undefined) {
      throw new OperatorError(unfitText(last, last.ignoredTask, only.length - grades.length));
    }
    if (summaryOf(grades).failed > 0) throw new CommandExit(FAILED);
  } finally {
    for (const signal of PASSED_ON) process.off(signal, interrupt);
  }
}

/** Why a program cannot be graded, and where to read how to write one that can. */
function unfitText({ scenario }: Grade, reason: string, left: number): string {
  const rest = left === 0 ? '' : ` The other ${left} scenarios were not run.`;
  return `The program did not do its task, ${scenario.task}: ${reason}.${rest} It has to read PETSTORE_TASK, send its requests to PETSTORE_URL with PETSTORE_KEY, and print only ids. Read docs/grade.md, or the tasks in grade --help.`;
}

/** Runs the scenarios one after the other up to one whose task the client did not try, and reports each grade. */
async function gradeAll(
  scenarios: readonly Scenario[],
  command: readonly string[],
  signal: AbortSignal,
  report: (grade: Grade) => void,
): Promise<Grade[]> {
  const config = readThrowawayConfig(startEnvironment());
  exemptFromProxies();
  const log = createLog(config.logLevel, new LineWriter(STDERR));
  const pets = Array.from({ length: PETS }, (_, index) => {
    return { name: `Animal ${index + 1}`, categoryId: 1 };
  });
  using throwaway = beginThrowaway(config, { pets: { production: pets } });
  // Loaded here: its HTTP server takes longer to load than most commands take to run.
  const { grade } = await import('../grade/grade.ts');
  const service = await start(throwaway.config, log, PARTS, throwaway);
  try {
    const variables = addressesAndKeys(service, throwaway);
    const { PETSTORE_KEY: key = '' } = variables;
    const { production: url } = service.addresses;
    const examination: Examination = {
      ...{ command, variables, url, key, signal },
      clock: systemClock,
      stability: throwaway.config.stability,
      isNamed: scenarios !== SCENARIOS,
    };
    const grades: Grade[] = [];
    for (const scenario of scenarios) {
      const result = await grade(scenario, examination);
      grades.push(result);
      report(result);
      if (result.ignoredTask !== undefined) break;
    }
    return grades;
  } finally {
    await service.stop();
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await Bun.write(path, text);
  } catch (cause) {
    throw new OperatorError(`Cannot write ${path}: ${messageOf(cause)}.`, { cause });
  }
}
