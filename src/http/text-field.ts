const SPACE = '\\u0020\\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000\\uFEFF';
const CONTROL = '\\u0000-\\u001F\\u007F-\\u009F';

/** Not blank, no control characters. Avoids lookahead, which many engines lack. */
const TEXT_PATTERN = `^[${SPACE}]*[^${SPACE}${CONTROL}][^${CONTROL}]*$`;

/** The rule of `TEXT_PATTERN` in words. */
const TEXT_RULE = 'not blank, without control characters';

/**
 * The schema of a field for one line of text that people write.
 * @param subject what the text is, such as "The animal's name".
 * @param maxLength in Unicode code points.
 */
export function textField(subject: string, maxLength: number) {
  return {
    type: 'string',
    minLength: 1,
    maxLength,
    pattern: TEXT_PATTERN,
    description: `${subject}: 1 to ${maxLength} characters (Unicode code points), ${TEXT_RULE}. Kept as sent.`,
  } as const;
}

/** What a pattern requires, in the words of an error message; `undefined` for a pattern other than that of `textField`. */
export function ruleOf(pattern: string | undefined): string | undefined {
  return pattern === TEXT_PATTERN ? TEXT_RULE : undefined;
}
