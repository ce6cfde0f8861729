import type { TestService } from './harness.ts';

/** One window in the RateLimit header. */
interface WindowReading {
  readonly quota: number;
  readonly length: number;
  readonly remaining: number;
  readonly resetsIn: number;
}

/** The rate-limit headers of a reply, as numbers; NaN for absent ones. */
export interface Reading {
  readonly status: number;
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds. */
  readonly reset: number;
  readonly retryAfter: number | undefined;
  readonly minute: WindowReading;
  readonly day: WindowReading;
}

/** The rate-limit headers of a reply, with its error code. */
export interface Answer extends Reading {
  readonly code: string | undefined;
  readonly message: string;
}

export function readLimits(reply: { status: number; headers: Headers }): Reading {
  const { status, headers } = reply;
  const count = (name: string) => {
    const value = headers.get(name) ?? '';
    return /^\d+$/.test(value) ? Number(value) : Number.NaN;
  };
  return {
    status,
    limit: count('X-RateLimit-Limit'),
    remaining: count('X-RateLimit-Remaining'),
    reset: count('X-RateLimit-Reset'),
    retryAfter: headers.has('Retry-After') ? count('Retry-After') : undefined,
    minute: readWindow(headers, 'minute'),
    day: readWindow(headers, 'day'),
  };
}

/** Sends one GET, with the key if one is given, and reads its reply. */
export async function ask(service: TestService, key?: string, path = '/pets'): Promise<Answer> {
  return readAnswer(await service.request(path, key === undefined ? {} : { key }));
}

export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const { code, message } = response.ok ? {} : JSON.parse(text);
  return { ...readLimits(response), code, message: message ?? '' };
}

/** Sends this many GETs one after the other; returns the readings of all replies. */
export async function askTimes(
  service: TestService,
  times: number,
  key?: string,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let sent = 0; sent < times; sent += 1) answers.push(await ask(service, key));
  return answers;
}

/** How many of the answers belong to admitted requests. */
export function admitted(answers: readonly Reading[]): number {
  return answers.filter(({ status }) => status !== 429).length;
}

function readWindow(headers: Headers, name: string): WindowReading {
  const parameters = (header: string) => {
    const items = (headers.get(header) ?? '').split(', ');
    return items.find((item) => item.startsWith(`"${name}";`)) ?? '';
  };
  const number = (text: string, parameter: string) =>
    Number(new RegExp(`;${parameter}=(\\d+)(?:;|$)`).exec(text)?.[1] ?? Number.NaN);
  const policy = parameters('RateLimit-Policy');
  const state = parameters('RateLimit');
  return {
    quota: number(policy, 'q'),
    length: number(policy, 'w'),
    remaining: number(state, 'r'),
    resetsIn: number(state, 't'),
  };
}
