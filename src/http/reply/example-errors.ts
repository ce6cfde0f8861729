import { ERRORS, type ErrorCode, messageFor } from '../../core/errors.ts';
import { PET_TRANSITIONS } from '../../core/pets/pet-changes.ts';
import { refusedTransition } from '../../core/transitions.ts';
import { emptyBodyMessage } from '../body/body-validator.ts';
import { MAX_BODY_BYTES } from '../body/json-body.ts';
import { contentTypeHeader, JSON_MEDIA_TYPES } from '../body/media-type.ts';
import type { Operation, ParameterDescription } from '../operation.ts';

/** As much of an operation as the messages of its errors need. */
interface DescribedOperation
  extends Pick<
    Operation,
    'body' | 'mediaTypes' | 'expectations' | 'noun' | 'transitions' | 'deprecation'
  > {
  readonly id: string;
  readonly parameters?: readonly ParameterDescription[];
}

/** The id of a pet that does not exist. */
const ABSENT_PET = 42;

/**
 * The body of a reply with this error, as the operation returns it.
 * @param baseUrl where the operation is served.
 */
export function errorExample(
  code: ErrorCode,
  operation: DescribedOperation,
  baseUrl: string,
): Readonly<Record<string, unknown>> {
  return {
    code,
    message: exampleMessage(code, operation, baseUrl),
    status: ERRORS[code].status,
  };
}

/**
 * The message of this error, as the operation returns it.
 * @param values from the request, where they are known.
 */
export function exampleMessage(
  code: ErrorCode,
  operation: DescribedOperation,
  baseUrl: string,
  values: Readonly<Record<string, string>> = {},
): string {
  const { id, body, expectations, noun = 'request', parameters = [], deprecation } = operation;
  const { transitions = PET_TRANSITIONS, mediaTypes = JSON_MEDIA_TYPES } = operation;
  const refusal = parameters.find((each) => each.refusal !== undefined)?.refusal;
  if (code === 'invalid_body' && body) return emptyBodyMessage(body, expectations);
  if (code === 'invalid_parameter' && refusal !== undefined) return refusal;
  return messageFor(code, {
    noun,
    operation: id,
    successor: baseUrl + (deprecation?.successor ?? ''),
    petId: ABSENT_PET,
    orderId: ABSENT_PET,
    status: 'pending',
    header: 'If-Match',
    contentType: contentTypeHeader(mediaTypes),
    maximum: MAX_BODY_BYTES / 1024,
    position: 'line 1, column 30',
    // Defaults for operations without such a body or parameter.
    ...{ field: 'name', expectation: 'a valid value' },
    ...{ parameter: 'limit', problem: 'has an invalid value' },
    ...refusedTransition(transitions),
    ...values,
  });
}
