import { existsSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../package.json';
import { runtimePackages } from './bundled-packages.ts';

const ROOT = join(import.meta.dir, '..');

export interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: ReadonlyArray<{ readonly alg: string; readonly content: string }>;
  readonly licenses?: readonly unknown[];
}

/** The dependencies of one package. */
interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

/** A software bill of materials, limited to the fields that are changed here. */
export interface BillOfMaterials {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

/**
 * Makes the software bill of materials of the service: the runtime and the bundled packages with their versions,
 * licenses and digests, in the format of CycloneDX 1.5. npm lists all packages in the lock file, including those of
 * the tests, of which this leaves those that the service needs.
 * @throws Error with npm's message when the lock file does not match `package.json`.
 */
export async function makeBillOfMaterials(): Promise<BillOfMaterials> {
  const made = await runNpmSbom();
  const { component } = made.metadata;
  const own = component['bom-ref'];
  const direct = await runtimePackages();
  const used = reachableFrom(direct, made.dependencies);
  const components = made.components.filter(
    (each) => used.has(each['bom-ref']) && isInstalled(each),
  );
  const listed = new Set(components.map((each) => each['bom-ref']));
  const dependencies = made.dependencies
    .filter(({ ref }) => listed.has(ref))
    .map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: dependsOn.filter((each) => listed.has(each)),
    }));
  return {
    ...made,
    // npm uses the name of the folder instead.
    metadata: { ...made.metadata, component: { ...component, name: packageJson.name } },
    components,
    dependencies: [{ ref: own, dependsOn: direct }, ...dependencies],
  };
}

async function runNpmSbom(): Promise<BillOfMaterials> {
  const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const child = Bun.spawn(['npm', 'sbom', '--package-lock-only', ...format], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [text, problem] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`npm sbom failed:\n${problem}`);
  return JSON.parse(text);
}

/** These packages with all of their direct and indirect dependencies. */
function reachableFrom(
  refs: readonly string[],
  dependencies: readonly Dependency[],
): ReadonlySet<string> {
  const needs = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const reached = new Set(refs);
  // Packages added to the set during the iteration are visited, too.
  for (const ref of reached) for (const needed of needs.get(ref) ?? []) reached.add(needed);
  return reached;
}

/** The runtime is a separate package for each platform, of which one is installed. */
function isInstalled({ name }: Component): boolean {
  return existsSync(join(ROOT, 'node_modules', name));
}
