/** Characters that XML 1.0 does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced.
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** The text as content or attribute of XML. */
export function escapeMarkup(text: string): string {
  return Bun.escapeHTML(text.toWellFormed().replaceAll(NOT_IN_XML, '\ufffd'));
}
