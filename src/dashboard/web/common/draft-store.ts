import { forget, forgetAll, ofTab, recall, remember } from '../remember.ts';

/* What was entered in forms, in the storage of the tab. */

const PREFIX = 'petstore-draft ';

/** The texts of a form by the names of its fields. */
export type Texts = Readonly<Record<string, string>>;

/** Where the draft of a form is stored. */
export function draftKey(account: string, form: string): string {
  return `${prefixOf(account)}${window.location.pathname} ${form}`;
}

function prefixOf(account: string): string {
  return `${PREFIX}${account} `;
}

export function saveDraft(key: string, values: Texts): void {
  remember(ofTab, key, JSON.stringify(values));
}

export function forgetDraft(key: string): void {
  forget(ofTab, key);
}

/** Removes what was entered in all forms: they begin anew. */
export function forgetDrafts(): void {
  forgetAll(ofTab, (name) => name.startsWith(PREFIX));
}

/** Removes what other accounts have entered. */
export function forgetDraftsOfOthers(account: string): void {
  forgetAll(ofTab, (name) => name.startsWith(PREFIX) && !name.startsWith(prefixOf(account)));
}

/** The stored texts of the fields that the form has. */
export function storedTexts(key: string, fields: Texts): Texts {
  const values = Object.entries<unknown>(Object(parse(recall(ofTab, key))));
  return Object.fromEntries(
    values.flatMap(([name, text]) =>
      Object.hasOwn(fields, name) && typeof text === 'string' ? [[name, text]] : [],
    ),
  );
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
