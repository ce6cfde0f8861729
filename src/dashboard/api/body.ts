import { readJsonObject } from '../json-body.ts';
import { invalid } from '../refused.ts';

/** What a message repeats of a field's name, in characters. */
const SHOWN_NAME_LENGTH = 60;

/** The fields of a body, each read as what it is to be. Every method may throw Refused `invalid`. */
export class Fields {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(values: Iterable<readonly [name: string, value: unknown]>) {
    this.#values = new Map(values);
  }

  /** Text on one line, without blanks around it; at least one character. */
  line(name: string, maxLength: number): string {
    const value = this.#values.get(name);
    const text = typeof value === 'string' ? value.trim() : '';
    const fits = text !== '' && text.length <= maxLength && text.isWellFormed();
    if (fits && !/\p{Cc}/u.test(text)) return text;
    throw invalid(`"${name}" must be 1 to ${maxLength} characters on one line.`);
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice {
    const value = this.#values.get(name);
    const chosen = choices.find((choice) => choice === value);
    if (chosen !== undefined) return chosen;
    throw invalid(`"${name}" must be one of: ${choices.join(', ')}.`);
  }

  /** A whole number from 1 on, or `undefined` when it is left out. */
  optionalCount(name: string, most: number): number | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) {
      return value;
    }
    throw invalid(`"${name}" must be a whole number from 1 to ${most}, or be left out.`);
  }
}

/**
 * Reads a request's body, a JSON object with these fields and no others: a misspelt one must not
 * pass for one that was left out.
 * @throws Refused `invalid`
 */
export async function readFields(request: Request, names: readonly string[]): Promise<Fields> {
  const entries = await readJsonObject(request);
  const unknown = entries.find(([name]) => !names.includes(name));
  if (unknown) {
    const shown = JSON.stringify(unknown[0].slice(0, SHOWN_NAME_LENGTH));
    throw invalid(`${shown} is not a field of this. Use: ${names.join(', ')}.`);
  }
  return new Fields(entries);
}
