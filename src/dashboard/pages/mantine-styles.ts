import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The path of Mantine's style sheet, with the rules of all components. */
export const MANTINE_STYLES = Bun.resolveSync('@mantine/core/styles.css', import.meta.dir);

/** A component's class names; its style sheet has the same name. */
const CLASS_NAMES = /@mantine\/core\/.*\/(\w+)\.module\.mjs$/;

/**
 * Mantine's style sheet without the rules of unused components, which are three quarters of it.
 * @param sources the source files of the pages' scripts.
 */
export async function mantineStyles({
  sources,
}: {
  readonly sources: ReadonlySet<string>;
}): Promise<Uint8Array<ArrayBuffer>> {
  const folder = join(dirname(MANTINE_STYLES), 'styles');
  const used = new Set([...sources].flatMap((path) => CLASS_NAMES.exec(path)?.[1] ?? []));
  let styles = await Bun.file(MANTINE_STYLES).text();
  for (const file of await readdir(folder)) {
    const component = /^([A-Z]\w*)\.css$/.exec(file)?.[1];
    if (component === undefined || used.has(component)) continue;
    const rules = (await Bun.file(join(folder, file)).text()).trim();
    styles = styles.replace(rules, () => '');
  }
  return new TextEncoder().encode(styles.replaceAll(/\s*\n\s*/g, '\n'));
}
