import ranges from '@fontsource-variable/figtree/unicode.json';
import type { Asset } from './assets.ts';
import { namedAsset } from './named-asset.ts';

/** The sets of characters that pages have; a browser loads those that it meets. Others have a font of the system. */
const SUBSETS = ['latin', 'latin-ext'] as const;

/** The typeface of the pages, with all weights in one file for each subset. */
interface Typeface {
  readonly files: readonly Asset[];
  /** The rules that load the files, from the folder of the style sheet. */
  readonly styles: string;
  /** The name of the file that every page loads. */
  readonly preloaded: string;
  readonly sources: readonly string[];
}

export async function loadTypeface(): Promise<Typeface> {
  const [latin, extended] = await Promise.all(SUBSETS.map(readFont));
  if (!latin || !extended) throw new Error('The typeface has too few files.');
  return {
    files: [latin, extended],
    styles: [fontFace(latin, ranges.latin), fontFace(extended, ranges['latin-ext'])].join('\n'),
    preloaded: latin.name,
    sources: SUBSETS.map(pathOf),
  };
}

function pathOf(subset: string): string {
  const file = `@fontsource-variable/figtree/files/figtree-${subset}-wght-normal.woff2`;
  return Bun.resolveSync(file, import.meta.dir);
}

async function readFont(subset: string): Promise<Asset> {
  return namedAsset(
    `figtree-${subset}.woff2`,
    'font/woff2',
    await Bun.file(pathOf(subset)).bytes(),
  );
}

/** A font that comes too late for the first paint is used from the next page on, so that no text moves. */
function fontFace({ name }: Asset, range: string): string {
  return `@font-face {
  font-family: "Figtree";
  src: url("${name}") format("woff2");
  font-weight: 300 900;
  font-display: optional;
  unicode-range: ${range};
}`;
}
