/**
 * A run of letters and digits that is long enough to be the random part of an API key, whatever its case;
 * characters may be percent-encoded. Shorter runs, such as the 32 digits of a trace id, are no key.
 */
const COULD_BE_KEY = /(?:[0-9A-Za-z]|%[0-9A-Fa-f]{2}){36,}/g;
const PREFIX = /pst_/i;

/** The text with everything hidden that has the shape of an API key. */
export function redactApiKeys(text: string): string {
  return text.replace(COULD_BE_KEY, '[hidden]');
}

/** Whether the text could hold an API key, or a part of one with its prefix. */
export function couldHoldApiKey(text: string): boolean {
  return PREFIX.test(text) || text.search(COULD_BE_KEY) !== -1;
}

/** What begins like an API key, up to the first character that no key has; perhaps percent-encoded, even twice. */
const BEGINS_LIKE_KEY =
  /(?:p|%(?:25)*[57]0)(?:s|%(?:25)*[57]3)(?:t|%(?:25)*[57]4)(?:_|%(?:25)*5f)[\w%]*/gi;

/** As `redactApiKeys`; hides keys that were cut short as well. */
export function redactPartialApiKeys(text: string): string {
  return redactApiKeys(text.replace(BEGINS_LIKE_KEY, '[hidden]'));
}
