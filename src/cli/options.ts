import { Argument, InvalidArgumentError, Option } from 'commander';
import { isEmailAddress } from '../core/accounts.ts';
import { ENVIRONMENTS } from '../core/environments.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../lib/clock.ts';
import { hasUnprintable } from '../lib/unprintable.ts';

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
  if (isEmailAddress(text)) return text;
  throw new InvalidArgumentError('Use an e-mail address such as you@example.com.');
}

/** A key's name; `core/key-ring.ts` has the same rules. */
export function parseKeyName(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= 100 && !hasUnprintable(name)) return name;
  throw new InvalidArgumentError(
    'Use 1 to 100 characters, on one line, without invisible characters and direction marks.',
  );
}

/** The e-mail address of an account. */
export function emailArgument(): Argument {
  return new Argument('<email>', 'such as you@example.com').argParser(parseEmail);
}

export interface JsonOption {
  readonly json?: true;
}

/** For the output of commands that other programs read. */
export function jsonOption(): Option {
  return new Option('--json', 'print JSON');
}

export function environmentOption(): Option {
  return new Option('--environment <name>', 'which environment')
    .choices(ENVIRONMENTS)
    .default('production');
}
