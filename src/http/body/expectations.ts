import type { XSchema } from 'typebox/schema';
import { INT64_MAX, INT64_MIN } from '../../lib/int64.ts';
import { ruleOf } from './text-field.ts';

/** What each field must be, in the words of an error message. */
export type Expectations = Readonly<Record<string, string>>;

/** As much of the schema of a field as an error message describes. */
interface FieldSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** Describes the fields of an object by its schema, such as "an integer from 1 to 100". */
export function expectationsOf(schema: XSchema): Expectations {
  const properties: Readonly<Record<string, FieldSchema>> = Object(schema).properties ?? {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, expectationOf(field)]),
  );
}

function expectationOf(field: FieldSchema): string {
  const { type, minimum, maximum, minLength = 0, maxLength } = field;
  if (field.enum) return `one of ${field.enum.join(', ')}`;
  if (type === 'bigint') return `an integer from ${INT64_MIN} to ${INT64_MAX}`;
  if (type === 'string' && maxLength !== undefined) {
    const rule = ruleOf(field.pattern);
    return `a string of ${minLength} to ${maxLength} characters${rule ? `, ${rule}` : ''}`;
  }
  const noun = NOUNS[type ?? ''] ?? 'a valid value';
  if (minimum === undefined || maximum === undefined) return noun;
  return `${noun} from ${minimum} to ${maximum}`;
}

const NOUNS: Readonly<Record<string, string>> = {
  integer: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};
