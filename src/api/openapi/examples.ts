import { ERRORS, type ErrorCode, messageFor } from '../../core/errors.ts';
import { emptyBodyMessage } from '../../http/body-validator.ts';
import { BAD_IDEMPOTENCY_KEY, IDEMPOTENCY_KEY } from '../../http/idempotency-key.ts';
import { MAX_BODY_BYTES } from '../../http/json-body.ts';
import type { Parameter } from '../../http/operation.ts';
import { oneOf, wholeNumberFrom } from '../../http/query.ts';
import type { PublishedOperation } from '../operations.ts';

/** A pet that is not there. */
const ABSENT_PET = 42;

/**
 * The body of a reply with this error, as the operation gives it.
 * @param baseUrl where the operation is served.
 */
export function errorExample(
  code: ErrorCode,
  operationId: string,
  operation: PublishedOperation,
  baseUrl: string,
): Readonly<Record<string, unknown>> {
  return {
    code,
    message: messageOf(code, operationId, operation, baseUrl),
    status: ERRORS[code].status,
  };
}

function messageOf(
  code: ErrorCode,
  operationId: string,
  { body, expectations, noun = '', parameters, deprecation }: PublishedOperation,
  baseUrl: string,
): string {
  const parameter = parameters.find((each) => each.in !== 'path');
  if (code === 'invalid_body' && body) return emptyBodyMessage(body, expectations);
  if (code === 'invalid_parameter' && parameter) return parameterMessage(parameter);
  return messageFor(code, {
    noun,
    operation: operationId,
    successor: baseUrl + (deprecation?.successor ?? ''),
    petId: ABSENT_PET,
    maximum: MAX_BODY_BYTES / 1024,
  });
}

function parameterMessage({ name, schema }: Parameter): string {
  if (name === IDEMPOTENCY_KEY) return BAD_IDEMPOTENCY_KEY;
  return messageFor('invalid_parameter', { parameter: name, problem: problemOf(schema) });
}

function problemOf({ enum: values, minimum, maximum }: Parameter['schema']): string {
  if (Array.isArray(values)) return oneOf(values);
  if (typeof minimum === 'number' && typeof maximum === 'number') {
    return wholeNumberFrom(minimum, maximum);
  }
  return 'has an invalid value';
}
