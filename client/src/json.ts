import { integerFromDigits } from './int64.ts';
import type { Int64 } from './types.ts';

// TypeScript's declaration of JSON.parse lacks the reviver's third argument.
interface SourceAwareJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
  ): unknown;
}

const sourceAwareJson: SourceAwareJson = JSON;

/**
 * Parses JSON with every plain integer exact: a `bigint` where a `number` would be rounded.
 *
 * @throws {SyntaxError} when `text` is not JSON.
 * @throws {RangeError} when this runtime would round an integer in it.
 */
export function parseJson(text: string): unknown {
  return sourceAwareJson.parse(text, (key, value, context) => {
    if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value;
    const source = context?.source;
    if (source === undefined) {
      throw new RangeError(
        `"${key}" holds an integer beyond 2^53 - 1, which this runtime cannot read exactly: ` +
          'its JSON.parse gives no access to the source text (Node has it from version 22 on)',
      );
    }
    return /^-?\d+$/.test(source) ? integerFromDigits(source) : value;
  });
}

/** Writes a flat JSON object with every digit of a `bigint`, without `undefined` members. */
export function stringifyMembers(
  members: Readonly<Record<string, Int64 | string | undefined>>,
): string {
  const written = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const json = typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
      return `${JSON.stringify(name)}:${json}`;
    });
  return `{${written.join(',')}}`;
}
