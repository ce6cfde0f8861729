/** A value that the service inserts into a rendered template, as markup. */
export type Hole =
  /** Path of the dashboard's address, without a trailing slash. */
  | 'basePath'
  /** Which pages the service does not have, see `unservedPages`. */
  | 'unserved'
  /** The heading of a page. */
  | 'title'
  /** The class of the column of a page. */
  | 'column'
  /** For browsers without scripts. */
  | 'noScript'
  | 'content'
  /** The pages of the API reference in the menu. */
  | 'section';

/** The templates that React renders when the pages are bundled. */
export interface RenderedFrames {
  /** By path of the page that the menu marks; '' is for any other. */
  readonly visitor: Readonly<Record<string, string>>;
  readonly member: Readonly<Record<string, string>>;
  /** Of pages that are the same for everybody. */
  readonly anybody: string;
  readonly firstView: string;
}

/** Characters of a private area, which no page contains. */
const [BEGIN, END] = ['\u{e000}', '\u{e001}'];
const HOLE = new RegExp(`${BEGIN}(\\w+)${END}`, 'g');

/** What a template has in the place of a value. */
export function hole(name: Hole): string {
  return BEGIN + name + END;
}

/**
 * A template with its values.
 * @param values by name.
 * @throws Error if a value is missing.
 */
export function filled(template: string, values: Readonly<Partial<Record<Hole, string>>>): string {
  const byName = new Map<string, string>(Object.entries(values));
  return template.replaceAll(HOLE, (_, name: string) => {
    const value = byName.get(name);
    if (value === undefined) throw new Error(`There is no value for ${name} in the template.`);
    return value;
  });
}
