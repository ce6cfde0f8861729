/*
 * The pattern has only what JSON Schema advises (Core, 6.4), because engines differ in the rest: Go has no `\u` escapes
 * and no lookahead. It also means the same in engines that read UTF-16, such as those of C# and of JavaScript without the
 * flag `u`. It names no character that the source of a generated client could not hold, such as U+0000, a line separator
 * or a mark of direction; therefore it allows names of rare white space alone, which the service refuses (`isBlank`).
 */

/**
 * All code points from U+00A1. An engine that reads UTF-16 takes the second range for one up to U+DBFF, the first half of
 * U+10FFFF, and a single U+DFFF: both are in the first range, with all other surrogates.
 */
const BEYOND_ASCII = '\u00a1-\ufffd\u00a1-\u{10ffff}';

/** Not blank, no control characters. */
const TEXT_PATTERN = `^[ \u00a0]*[!-~${BEYOND_ASCII}][ -~\u00a0${BEYOND_ASCII}]*$`;

/** The rule of a text field in words. */
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

/** Whether a text is nothing but white space of any kind, which a text field must not be. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}
