import { ENVIRONMENTS, type Environment } from '../../core/environments.ts';
import { INSTANT_RULE, parseInstant } from '../../lib/instant.ts';
import { DashboardError } from '../errors.ts';
import type { RequestContext } from './route.ts';

/** Maximum length of a parameter, in characters. */
const LONGEST = 200;

/** A parameter, trimmed; `undefined` if it is missing or empty. @throws ApiError `invalid` */
export function textIn(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name)?.trim() ?? '';
  if (value.length > LONGEST) {
    throw new DashboardError('invalid', `"${name}" may have at most ${LONGEST} characters.`);
  }
  return value === '' ? undefined : value;
}

/** A parameter with one of these values; `undefined` if it is missing or empty. @throws ApiError `invalid` */
export function choiceIn<Choice extends string>(
  query: URLSearchParams,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = textIn(query, name);
  const chosen = choices.find((choice) => choice === text);
  if (text === undefined || chosen !== undefined) return chosen;
  throw new DashboardError('invalid', `"${name}" must be one of: ${choices.join(', ')}.`);
}

/** @throws ApiError `invalid` */
export function environmentIn(query: URLSearchParams): Environment | undefined {
  return choiceIn(query, 'environment', ENVIRONMENTS);
}

/** A moment in epoch ms; `undefined` if it is missing or empty. @throws ApiError `invalid` */
export function momentIn(query: URLSearchParams, name: string): number | undefined {
  const text = textIn(query, name);
  if (text === undefined) return undefined;
  const moment = parseInstant(text);
  if (moment !== undefined) return moment;
  throw new DashboardError('invalid', `"${name}" must be ${INSTANT_RULE}.`);
}

/** The number of an entry in a list; `undefined` if it is missing. @throws ApiError `invalid` */
export function positionIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const number = numberOf(text);
  if (number !== undefined) return number;
  throw new DashboardError('invalid', `"${name}" must be the number of an entry.`);
}

/** The id in the path; `undefined` if it is not a number that the service assigns. */
export function idIn({ id }: Pick<RequestContext, 'id'>): number | undefined {
  return numberOf(id);
}

function numberOf(text: string): number | undefined {
  const number = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}
