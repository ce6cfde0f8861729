import { basename } from 'node:path';

/** Whether the modules are bundled, in the executable or in the package, instead of those of the source. */
export const IS_BUNDLED = !import.meta.path.endsWith('.ts');

/** Whether this is the package, which is installed beside the runtime. */
export const IS_PACKAGE = IS_BUNDLED && !Bun.isStandaloneExecutable;

/**
 * The address of an entry point: the program, or a thread.
 * @param path in the source, relative to the module that asks. Bundled modules and entry points are all in one folder.
 * @param module `import.meta.url` of that module.
 */
export function entryPoint(path: string, module: string): URL {
  return new URL(IS_BUNDLED ? `./${basename(path, '.ts')}.js` : path, module);
}
