import { join } from 'node:path';
import packageJson from '../package.json';

const ROOT = join(import.meta.dir, '..');

/** Everything that the project installs, by name, with its version. */
const INSTALLED: Readonly<Record<string, string>> = {
  ...packageJson.dependencies,
  ...packageJson.devDependencies,
};

/** The packages that the source of the service and its pages imports, sorted by name. */
export async function importedPackages(): Promise<string[]> {
  const files = [...new Bun.Glob('src/**/*.{ts,tsx}').scanSync(ROOT)];
  const imported = await Promise.all(files.map(importsOf));
  const names = new Set(imported.flat().map(packageOf));
  return Object.keys(INSTALLED)
    .filter((name) => names.has(name))
    .sort();
}

/** What an installation of the service consists of, as `name@version`: these packages and the runtime. */
export async function runtimePackages(): Promise<string[]> {
  const names = new Set([...Object.keys(packageJson.dependencies), ...(await importedPackages())]);
  return Array.from(names, (name) => `${name}@${INSTALLED[name]}`).sort();
}

/** The modules that a file imports; not those of which it only needs types. */
async function importsOf(file: string): Promise<string[]> {
  const transpiler = new Bun.Transpiler({ loader: file.endsWith('x') ? 'tsx' : 'ts' });
  return transpiler.scanImports(await Bun.file(join(ROOT, file)).text()).map(({ path }) => path);
}

/** `name` or `@scope/name` of a module. */
function packageOf(module: string): string {
  return module.split('/', module.startsWith('@') ? 2 : 1).join('/');
}
