import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const ROOT = join(import.meta.dir, '..', '..');

/** The pages of the project, relative to its root. */
export const pages: readonly string[] = ['*.md', 'docs/**/*.md', '{client,testing}/*.md'].flatMap(
  (pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)],
);

export function readPage(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** A file of the project, and perhaps a heading in it. */
export interface Target {
  readonly file: string;
  readonly heading: string | undefined;
}

/** The links of a page to files of the project. */
export function linksOf(page: string): Target[] {
  return [...readPage(page).matchAll(/\]\(([^)#:]*)(?:#([^):]+))?\)/g)].map(
    ([, path = '', heading]) => ({ file: path === '' ? page : join(dirname(page), path), heading }),
  );
}

/** The anchors of the headings of a page, as GitHub makes them. */
export function headingsOf(file: string): string[] {
  const made = new Map<string, number>();
  const text = readPage(file).replaceAll(/^```[\s\S]*?^```/gm, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const earlier = made.get(anchor) ?? 0;
    made.set(anchor, earlier + 1);
    return earlier === 0 ? anchor : `${anchor}-${earlier}`;
  });
}
