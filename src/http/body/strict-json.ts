import { ApiError, messageFor } from '../../core/errors.ts';
import { parseInt64 } from '../../lib/int64.ts';
import { shownName } from '../../lib/shown-name.ts';

/** How deep objects and arrays may be nested in a body. */
export const MAX_DEPTH = 16;

/** 16 digits, or a number with a fraction or an exponent. A match within a string only costs time. */
const MAY_BE_ROUNDED = /\d(?:\d{15}|[.eE])/;

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses JSON (RFC 8259) more strictly than `JSON.parse`: invalid UTF-8, a member name given twice
 * and a depth over 16 are refused. Every integer within int64 becomes an exact bigint.
 * @throws ApiError `invalid_json`
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw new ApiError('invalid_json', 'The body is not valid UTF-8. Encode it as UTF-8.', {
      cause,
    });
  }
  if (text.trim() === '') throw new ApiError('invalid_json', 'The body is empty. Send JSON.');
  try {
    checkStructure(text);
    return MAY_BE_ROUNDED.test(text)
      ? JSON.parse(text, exactIntegers)
      : integersAsBigInts(JSON.parse(text));
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError('invalid_json', messageFor('invalid_json'), { cause });
  }
}

function exactIntegers(_name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number') return value;
  return parseInt64(context?.source ?? String(value)) ?? value;
}

/** For parsed text whose numbers are all short and whole; takes a fraction of the time of a reviver. */
function integersAsBigInts(value: unknown): unknown {
  if (typeof value === 'number') return BigInt(value);
  if (isNested(value)) for (const name in value) value[name] = integersAsBigInts(value[name]);
  return value;
}

/** Whether a value parsed by `JSON.parse` is an object or an array. */
function isNested(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * Finds errors that `JSON.parse` accepts. It only follows strings and brackets; `JSON.parse` refuses text
 * that is malformed otherwise.
 */
function checkStructure(text: string): void {
  const open: Array<Set<string> | undefined> = [];
  let expectsName = false;
  for (let index = 0; index < text.length; index += 1) {
    switch (text[index]) {
      case '{':
      case '[':
        if (open.length === MAX_DEPTH) throw tooDeep();
        expectsName = text[index] === '{';
        open.push(expectsName ? new Set() : undefined);
        break;
      case '}':
      case ']':
        open.pop();
        expectsName = false;
        break;
      case ',':
        expectsName = open.at(-1) !== undefined;
        break;
      case '"': {
        const end = endOfString(text, index);
        if (expectsName) noteName(open.at(-1), text.slice(index, end + 1));
        expectsName = false;
        index = end;
        break;
      }
    }
  }
}

function noteName(names: Set<string> | undefined, literal: string): void {
  const name = literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1);
  if (names?.has(name)) {
    throw new ApiError('invalid_json', `The body has ${shownName(name)} twice. Send it once.`, {
      withoutBody: 'The body has a member twice. Send it once.',
    });
  }
  names?.add(name);
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index;
}

function tooDeep(): ApiError {
  return new ApiError(
    'invalid_json',
    `The body is nested deeper than ${MAX_DEPTH} levels. Send a flatter one.`,
  );
}
