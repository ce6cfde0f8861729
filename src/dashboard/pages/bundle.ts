import { join } from 'node:path';
import type { BuildArtifact, BuildConfig, BuildMetafile } from 'bun';
import type { Asset, Assets, PageAssets } from './assets.ts';

const WEB = join(import.meta.dir, '..', 'web');

/**
 * Bundles the pages' source into memory. The files refer to one another by relative addresses, so they
 * may be served below any path.
 * @param web the folder with the source.
 * @throws Error with the bundler's messages when the source cannot be bundled.
 */
export async function bundleAssets(web = WEB): Promise<Assets> {
  const [dashboard, reference, themeFirst, plain] = await Promise.all([
    bundle(join(web, 'main.tsx'), { format: 'esm', splitting: true }),
    bundle(join(web, 'reference', 'reference.ts'), { format: 'esm', splitting: true }),
    // A classic script runs before the page is parsed.
    bundle(join(web, 'theme-first.ts'), { format: 'iife' }),
    bundle(join(import.meta.dir, 'plain.css'), {}),
  ]);
  return {
    files: [dashboard, reference, themeFirst, plain].flatMap(({ files }) => files),
    themeFirst: themeFirst.page,
    dashboard: dashboard.page,
    reference: reference.page,
    plain: plain.page,
  };
}

interface Bundle {
  readonly files: readonly Asset[];
  readonly page: PageAssets;
}

async function bundle(entry: string, options: Partial<BuildConfig>): Promise<Bundle> {
  const { success, logs, outputs, metafile } = await Bun.build({
    ...options,
    entrypoints: [entry],
    target: 'browser',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    naming: {
      entry: '[name]-[hash].[ext]',
      chunk: '[name]-[hash].[ext]',
      asset: '[name]-[hash].[ext]',
    },
    metafile: true,
    throw: false,
  });
  if (!success) throw new Error(`Cannot bundle ${entry}:\n${logs.map(String).join('\n')}`);
  return {
    files: await Promise.all(outputs.map(readOutput)),
    page: pageAssets(outputs, metafile?.outputs ?? {}),
  };
}

function pageAssets(outputs: readonly BuildArtifact[], made: Outputs): PageAssets {
  const script = outputs.find(({ kind }) => kind === 'entry-point')?.path;
  const style = script === undefined ? outputs[0]?.path : made[script]?.cssBundle;
  return {
    scripts: script === undefined ? [] : [nameOf(script)],
    styles: style === undefined ? [] : [nameOf(style)],
    imports: script === undefined ? [] : staticImports(script, made).map(nameOf),
  };
}

type Outputs = Readonly<Record<string, BuildMetafile['outputs'][string]>>;

/** The static imports of a module, directly and indirectly. */
function staticImports(entry: string, outputs: Outputs): string[] {
  const found = new Set([entry]);
  // Iterating over a set includes members that are added meanwhile.
  for (const path of found) {
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') found.add(imported);
    }
  }
  found.delete(entry);
  return [...found];
}

async function readOutput(output: BuildArtifact): Promise<Asset> {
  return {
    name: nameOf(output.path),
    type: output.type,
    bytes: new Uint8Array(await output.arrayBuffer()),
  };
}

function nameOf(path: string): string {
  return path.replace(/^\.\//, '');
}
