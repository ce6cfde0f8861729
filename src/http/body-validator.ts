import type { XSchema } from 'typebox/schema';
import { ApiError } from '../core/errors.ts';
import { lazy } from '../lib/lazy.ts';

/**
 * Makes the check of a parsed body against a schema of the contract. The compiler is loaded at the
 * first body: that takes longer than starting all the rest.
 * @param expectations how each field is to be, in the words of an error message.
 * @returns a function that throws ApiError `invalid_body`, naming the field.
 */
export function bodyParser<const Schema extends XSchema>(
  schema: Schema,
  expectations: Readonly<Record<string, string>>,
) {
  const compiled = lazy(async () => (await import('typebox/schema')).Compile(schema));
  const invalid = (field: string, verb: string) =>
    new ApiError('invalid_body', `"${field}" ${verb} ${expectations[field]}.`);
  return async (body: unknown) => {
    const validator = await compiled();
    if (validator.Check(body)) {
      const broken = Object.entries(Object(body)).find(([field, value]) => {
        return Object.hasOwn(expectations, field) && isBrokenText(value);
      });
      if (broken) throw invalid(broken[0], 'must be');
      return body;
    }
    const [, [error]] = validator.Errors(body);
    if (error?.instancePath === '' && error.keyword === 'type') {
      throw new ApiError('invalid_body', 'The body must be a JSON object.');
    }
    const missing = error?.keyword === 'required' ? error.params.requiredProperties[0] : undefined;
    const field = missing ?? error?.instancePath.slice(1) ?? '';
    throw invalid(field, missing ? 'is required: send' : 'must be');
  };
}

/** Text with half a surrogate pair is no Unicode text, and could not be given back as it was sent. */
function isBrokenText(value: unknown): boolean {
  return typeof value === 'string' && !value.isWellFormed();
}
