import { Argument, InvalidArgumentError, Option } from 'commander';
import { emailProblem, newEmailProblem } from '../core/accounts/email-address.ts';
import { ENVIRONMENTS } from '../core/environments.ts';
import { KEY_NAME_RULE, parseKeyName } from '../core/keys/api-keys.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../lib/clock.ts';
import { UsageError } from './errors.ts';

const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/** `90s`, `15m`, `12h` or `30d`, in ms. */
export function parseDuration(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  const length = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (Number.isNaN(length)) throw new InvalidArgumentError('Use a duration such as 12h or 30d.');
  return length;
}

/** A whole number of at least 1. */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a whole number of at least 1.');
}

function parseEmail(text: string): string {
  const problem = emailProblem(text);
  if (problem === undefined) return text;
  throw new InvalidArgumentError(problem);
}

/** @throws UsageError when this cannot be the e-mail address of a new account. */
export function requireNewEmail(email: string): void {
  const problem = newEmailProblem(email);
  if (problem !== undefined) throw new UsageError(`${email} cannot be used. ${problem}`);
}

/** A key's name. */
export function keyName(text: string): string {
  const name = parseKeyName(text);
  if (name !== undefined) return name;
  throw new InvalidArgumentError(`Use ${KEY_NAME_RULE}.`);
}

/** The e-mail address of an account. */
export function emailArgument(): Argument {
  return new Argument('<email>', 'such as you@example.com').argParser(parseEmail);
}

export interface JsonOption {
  readonly json?: true;
}

/** For commands whose output other programs read. */
export function jsonOption(): Option {
  return new Option('--json', 'print JSON');
}

export function environmentOption(): Option {
  return new Option('--environment <name>', 'which environment')
    .choices(ENVIRONMENTS)
    .default('production');
}
