import { ApiError } from '../../core/errors.ts';
import { shownName } from '../../lib/shown-name.ts';

/** The most fields that one message names. */
const MAX_FIELDS = 10;

/** The longest message about several fields, in characters. */
const MAX_LENGTH = 500;

/** Names of members that a body has and its schema does not, and names that the schema has. */
interface MemberNames {
  readonly unknown: readonly string[];
  readonly known: readonly string[];
}

/**
 * The error that names every invalid field of a body, as many as fit into a message.
 * @param problems a clause about each invalid field of the schema, in its order.
 */
export function invalidFields(
  problems: readonly string[],
  { unknown, known }: MemberNames,
): ApiError {
  if (unknown.length === 0) return new ApiError('invalid_body', problemsMessage(problems));
  const advice = `Use: ${known.join(', ')}.`;
  const named = unknown.map((name) => `${shownName(name)} is not a field here`);
  const counted =
    unknown.length === 1
      ? 'a member of the body is not a field here'
      : `${unknown.length} members of the body are not fields here`;
  return new ApiError('invalid_body', problemsMessage([...problems, ...named], advice), {
    withoutBody: problemsMessage([...problems, counted], advice),
  });
}

/**
 * The message about these problems. Where they are many it names the first ones, in at most `MAX_LENGTH` characters
 * unless the first one takes more, and counts the others.
 * @param problems clauses without a full stop, at least one.
 * @param advice a sentence at the end.
 */
export function problemsMessage(problems: readonly string[], advice?: string): string {
  const ending = advice === undefined ? '.' : `. ${advice}`;
  for (let count = Math.min(MAX_FIELDS, problems.length); count > 1; count -= 1) {
    const message = naming(problems, count) + ending;
    if (message.length <= MAX_LENGTH) return message;
  }
  return naming(problems, 1) + ending;
}

function naming(problems: readonly string[], count: number): string {
  const others = problems.length - count;
  const clauses = [...problems.slice(0, count), ...(others > 0 ? [`and ${others} more`] : [])];
  const text = clauses.join('; ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
