import type { EntityTagList, Precondition } from '../core/entity-tags.ts';
import { ApiError } from '../core/errors.ts';
import type { Parameter } from './operation.ts';

const IF_MATCH = 'If-Match';
const IF_NONE_MATCH = 'If-None-Match';

type PreconditionParameters = readonly [
  Parameter<typeof IF_MATCH, EntityTagList | undefined>,
  Parameter<typeof IF_NONE_MATCH, EntityTagList | undefined>,
];

/**
 * The headers with which a request applies only to some versions of what it changes (RFC 9110, 13.1).
 * @param noun what is changed, such as `the animal`.
 */
export function preconditionParameters(noun: string): PreconditionParameters {
  return [
    entityTagsParameter(
      IF_MATCH,
      `The \`ETag\` of ${noun} as you know it, or several, or \`*\`: if it has none of them now, nothing is changed ` +
        'and the reply is 412. A weak tag never matches.',
    ),
    entityTagsParameter(
      IF_NONE_MATCH,
      `Tags that ${noun} must not have, or \`*\`: if it has one of them, nothing is changed and the reply is 412.`,
    ),
  ];
}

/** The precondition of a request, from the values of `preconditionParameters`; `undefined` if it has none. */
export function preconditionOf(
  parameters: Readonly<Record<typeof IF_MATCH | typeof IF_NONE_MATCH, EntityTagList | undefined>>,
): Precondition | undefined {
  const { [IF_MATCH]: ifMatch, [IF_NONE_MATCH]: ifNoneMatch } = parameters;
  return ifMatch === undefined && ifNoneMatch === undefined ? undefined : { ifMatch, ifNoneMatch };
}

const TAG = '(W/)?"[^ "]*"';
/** Spaces, tabs and commas: nothing that is printed but a comma. */
const EMPTY = '[^!-+.-~-]*';

/** Accepts all that `parseEntityTags` does; without escapes and control characters, as JSON Schema advises. */
const PATTERN = `^([*]|${EMPTY}${TAG}([^!-~]*,${EMPTY}${TAG})*${EMPTY})$`;

function entityTagsParameter<const Name extends string>(
  name: Name,
  description: string,
): Parameter<Name, EntityTagList | undefined> {
  const refusal = `The header "${name}" must be an entity tag with its quotes, several separated by commas, or *.`;
  return {
    ...{ name, in: 'header', required: false, description, refusal },
    schema: { type: 'string', pattern: PATTERN },
    read(text) {
      const tags = text === undefined ? undefined : parseEntityTags(text);
      if (text === undefined || tags !== undefined) return tags;
      throw new ApiError('invalid_parameter', refusal);
    },
  };
}

/** An entity tag (RFC 9110, 8.8.3). */
const ENTITY_TAG = /(?:W\/)?"[!#-~\u0080-\uffff]*"/g;

/** What separates the elements of a list, some of which may be empty (RFC 9110, 5.6.1.2). */
const SEPARATOR = /^[ \t,]*$/;

/**
 * The entity tags of a header, as sent.
 * @param field its value; field lines sent more than once arrive joined by commas.
 * @returns `undefined` for a value that is neither a list of at least one entity tag nor `*`.
 */
function parseEntityTags(field: string): EntityTagList | undefined {
  if (field.trim() === '*') return '*';
  const tags = field.match(ENTITY_TAG);
  const separators = field.split(ENTITY_TAG);
  const inner = separators.slice(1, -1);
  const isList =
    separators.every((text) => SEPARATOR.test(text)) && inner.every((text) => text.includes(','));
  return isList ? (tags ?? undefined) : undefined;
}
