import { compactJson, parseExactly, writeExactly } from '../../lib/exact-json.ts';

/** The body of a request in samples. */
export interface SampleBody {
  /** JSON without white space, or the text of the form if that is not JSON. */
  readonly text: string;
  /**
   * Its fields, with integers beyond 2^53 as bigints; `undefined` if literals of a language could not stand for
   * exactly this text: no object, repeated names, a number such as `1.0`, or no JSON.
   */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  /** Whether a double holds every number of the body. */
  readonly isDouble: boolean;
}

/** @param form the text of the form. */
export function sampleBody(form: string): SampleBody {
  const text = compactJson(form);
  try {
    const fields = parseExactly(text);
    const isObject = typeof fields === 'object' && fields !== null && !Array.isArray(fields);
    const isExact = isObject && writeExactly(fields) === text;
    return {
      text,
      fields: isExact ? { ...fields } : undefined,
      isDouble: isExact && JSON.stringify(JSON.parse(text)) === text,
    };
  } catch {
    return { text, fields: undefined, isDouble: false };
  }
}
