import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import http from 'highlight.js/lib/languages/http';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import plaintext from 'highlight.js/lib/languages/plaintext';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';

const LANGUAGES = { bash, go, http, javascript, json, plaintext, python, typescript };

for (const [name, language] of Object.entries(LANGUAGES)) {
  highlighter.registerLanguage(name, language);
}
highlighter.registerAliases('curl', { languageName: 'bash' });

/**
 * Code as markup, whose parts have classes such as `hljs-string`.
 * @param language its name or a usual short one, such as `js`; without colours where it is not known.
 */
export function highlight(text: string, language: string): string {
  const known = highlighter.getLanguage(language) ? language : 'plaintext';
  return highlighter.highlight(text, { language: known, ignoreIllegals: true }).value;
}
