import type { TLocalizedValidationError } from 'typebox/error';
import { expectationsOf } from '../http/body/expectations.ts';

/** The parts of a JSON Schema that the problems need. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly anyOf?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/**
 * The problems of a value, in words, one for each location.
 * @param schema of the value; contains only objects and arrays.
 * @param errors of the validator.
 */
export function schemaProblems(schema: Schema, errors: readonly TLocalizedValidationError[]) {
  const problems = new Map<string, string>();
  for (const error of errors) {
    for (const [pointer, text] of problemsOf(schema, error)) {
      if (!problems.has(pointer)) problems.set(pointer, text);
    }
  }
  return Array.from(problems, ([pointer, text]) => ({ pointer, text }));
}

function problemsOf(
  schema: Schema,
  error: TLocalizedValidationError,
): ReadonlyArray<readonly [string, string]> {
  const { instancePath: pointer } = error;
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => [`${pointer}/${name}`, 'is missing.']);
    case 'additionalProperties': {
      const known = Object.keys(schemaAt(schema, pointer)?.properties ?? {}).join(', ');
      return error.params.additionalProperties.map((name) => [
        `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        `is not a field here. Use: ${known}.`,
      ]);
    }
    // Unknown fields are already reported as additional properties.
    case 'boolean':
      return [];
    default:
      return [[pointer, expectation(schema, pointer)]];
  }
}

function expectation(schema: Schema, pointer: string): string {
  const found = schemaAt(schema, pointer);
  if (!found) return 'must be something else.';
  if (found.pattern ?? found.anyOf) return `is not what it must be: ${found.description}`;
  return `must be ${expectationsOf({ properties: { found } })['found']}.`;
}

function schemaAt(schema: Schema | undefined, pointer: string): Schema | undefined {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<Schema | undefined>(
    (at, step) => at?.items ?? at?.properties?.[step],
    schema,
  );
}
