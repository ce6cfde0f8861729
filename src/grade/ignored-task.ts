import type { ClientRun, SeenRequest } from './scenario.ts';
import { TASKS, type Task, type TaskDescription } from './tasks.ts';

/**
 * Why a client that failed did not even try its task, such as a program that does not read PETSTORE_TASK; `undefined`
 * if it tried.
 */
export function ignoredTask(task: Task, runs: readonly ClientRun[]): string | undefined {
  const { method, path }: TaskDescription = TASKS[task];
  const request = `${method} ${path.test('/pets') ? '/pets' : '/pets/{petId}'}`;
  const sent = runs.flatMap(({ requests }) => requests);
  if (sent.length === 0) return 'it sent no request';
  const isOfTask = (each: SeenRequest) => each.method === method && path.test(each.path);
  if (!sent.some(isOfTask)) return `it sent no ${request}`;
  const other = method === 'GET' && sent.find((each) => isWrite(each));
  if (other) return `it sent a ${other.method}, although it should only read`;
  // An error or half of a reply leaves nothing to print.
  const hasPrintedNoId = runs.every(
    (run) =>
      run.exitCode === 0 &&
      run.requests.some((each) => isOfTask(each) && isComplete(each)) &&
      !run.stdout.split('\n').some((line) => /^-?\d[\d.eE+-]*$/.test(line.trim())),
  );
  return hasPrintedNoId ? 'it printed no id' : undefined;
}

function isWrite({ method }: SeenRequest): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(method);
}

function isComplete({ reply }: SeenRequest): boolean {
  if (reply === undefined || reply.status >= 300) return false;
  return reply.delivery === 'whole' || reply.delivery === 'trickling';
}
