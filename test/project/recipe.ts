import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dir, '..', '..');

/** The files that recipes change, and those needed to type-check, lint and run the result. */
const COPIED = ['src', 'client/src', 'package.json', 'tsconfig.json', 'biome.json'];

/** One code block of a recipe that names a file. */
interface Step {
  readonly file: string;
  /** A complete new file, or hunks of a diff without line numbers. */
  readonly kind: 'new' | 'diff';
  readonly text: string;
}

/** A recipe of the documentation: the changes that a page tells its reader to make. */
export class Recipe {
  readonly #steps: readonly Step[];

  /** @param page below `docs/`. Its code blocks ```` ```ts file=… ```` and ```` ```diff file=… ```` are the steps. */
  constructor(page: string) {
    const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
    const blocks = text.matchAll(/^```(ts|diff) file=(\S+)\n([\s\S]*?)^```$/gm);
    this.#steps = Array.from(blocks, ([, language, file = '', body = '']) => ({
      file,
      kind: language === 'ts' ? 'new' : 'diff',
      text: body,
    }));
  }

  /** The files that the recipe changes or adds. */
  get files(): string[] {
    return [...new Set(this.#steps.map(({ file }) => file))].sort();
  }

  /** The number of lines that the recipe adds, including blank lines and imports. */
  get lines(): number {
    const added = this.#steps.map(({ kind, text }) => {
      const lines = text.trimEnd().split('\n');
      return kind === 'new' ? lines.length : lines.filter((line) => line.startsWith('+')).length;
    });
    return added.reduce((sum, count) => sum + count, 0);
  }

  /** Applies the recipe to a copy of the project. */
  applyTo(folder: string): void {
    for (const { file, kind, text } of this.#steps) {
      const path = join(folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(
        path,
        kind === 'new' ? text : applyHunks(file, readFileSync(path, 'utf8'), text),
      );
    }
  }
}

/** Copies the project into this folder. */
export function copyProject(folder: string): void {
  for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

/** Applies hunks separated by `@@`; the lines that each expects must be in the file exactly once. */
function applyHunks(file: string, content: string, diff: string): string {
  let result = content;
  for (const hunk of diff.split(/^@@.*\n/m).filter((text) => text.trim() !== '')) {
    const lines = hunk.trimEnd().split('\n');
    const expected = sideOf(lines, '-');
    const places = result.split(expected).length - 1;
    if (places !== 1) throw new Error(`${file} has these lines ${places} times:\n${expected}`);
    result = result.replace(expected, () => sideOf(lines, '+'));
  }
  return result;
}

/** The lines of one side of a hunk, without their marks. */
function sideOf(lines: readonly string[], side: '-' | '+'): string {
  const kept = lines.filter((line) => line === '' || line[0] === ' ' || line[0] === side);
  return kept.map((line) => `${line.slice(1)}\n`).join('');
}
