/**
 * A run of letters and digits, in any case, long enough to be the random part of an API key; characters may be
 * percent-encoded. Shorter runs, such as the 32 digits of a trace id, cannot be a key.
 */
const COULD_BE_KEY = /(?:[0-9A-Za-z]|%[0-9A-Fa-f]{2}){36,}/g;
const PREFIX = /pst_/i;

/** Replaces everything that looks like an API key. */
export function redactApiKeys(text: string): string {
  return text.replace(COULD_BE_KEY, '[hidden]');
}

/** Whether the text could contain an API key, or a part of one that includes its prefix. */
export function couldHoldApiKey(text: string): boolean {
  return PREFIX.test(text) || text.search(COULD_BE_KEY) !== -1;
}

/** The prefix of an API key and all key characters after it; may be percent-encoded, even twice. */
const BEGINS_LIKE_KEY =
  /(?:p|%(?:25)*[57]0)(?:s|%(?:25)*[57]3)(?:t|%(?:25)*[57]4)(?:_|%(?:25)*5f)[\w%]*/gi;

/** Like `redactApiKeys`, but also hides truncated keys. */
export function redactPartialApiKeys(text: string): string {
  return redactApiKeys(text.replace(BEGINS_LIKE_KEY, '[hidden]'));
}

const NAMED_KEY = /pst_(?:live|staging)_\w+/g;

/**
 * Hides whole and truncated API keys by their prefix alone. Long runs of letters and digits stay, since messages of
 * the command line name paths and checksums.
 */
export function redactNamedApiKeys(text: string): string {
  return text.replace(NAMED_KEY, '[hidden]');
}
