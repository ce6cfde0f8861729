import { join, resolve } from 'node:path';
import type { BuildArtifact, BuildConfig, BuildMetafile } from 'bun';
import type { Asset, Assets, PageAssets } from './assets.ts';
import { namedAsset } from './named-asset.ts';
import { renderPages } from './rendering.ts';
import { loadTypeface } from './typeface.ts';

const WEB = join(import.meta.dir, '..', 'web');

/** A bundle, and the absolute paths of the files that it was made of. */
interface MadeAssets {
  readonly assets: Assets;
  readonly sources: readonly string[];
}

/** Bundles the pages' source into memory, as `bundlePages` does. */
export async function bundleAssets(web = WEB): Promise<Assets> {
  return (await bundlePages(web)).assets;
}

/**
 * Bundles the pages' source into memory. The files refer to one another by relative addresses, so
 * they can be served below any path.
 * @param web the folder with the source.
 * @throws Error with the bundler's messages when the source cannot be bundled.
 */
export async function bundlePages(web = WEB): Promise<MadeAssets> {
  const [typeface, rendered, dashboard, reference, themeFirst] = await Promise.all([
    loadTypeface(),
    renderPages(join(web, 'rendered', 'rendered.tsx')),
    bundle(join(web, 'main.tsx'), { format: 'esm', splitting: true }),
    bundle(join(web, 'reference', 'reference.ts'), { format: 'esm', splitting: true }),
    // A classic script runs before the page is parsed.
    bundle(join(web, 'theme-first.ts'), { format: 'iife' }),
  ]);
  const favicon = await readAsset('favicon.ico', 'image/x-icon');
  const preview = await readAsset('preview.png', 'image/png');
  const styles = new TextEncoder().encode(`${typeface.styles}\n${rendered.themeStyles}`);
  const theme = namedAsset('theme.css', 'text/css;charset=utf-8', styles);
  const bundles = [dashboard, reference, themeFirst];
  const assets = {
    files: [...bundles.flatMap(({ files }) => files), ...typeface.files, theme, favicon, preview],
    themeFirst: themeFirst.page,
    dashboard: withTheme(dashboard.page, theme),
    reference: withTheme(reference.page, theme),
    font: typeface.preloaded,
    frames: rendered.frames,
    favicon: favicon.name,
    preview: preview.name,
  };
  const inputs = [...bundles, rendered, typeface].flatMap(({ sources }) => [...sources]);
  return { assets, sources: [...new Set(inputs.map((path) => resolve(path)))] };
}

/** The theme comes first, so that the styles of the pages can override it. */
function withTheme(page: PageAssets, theme: Asset): PageAssets {
  return { ...page, styles: [theme.name, ...page.styles] };
}

interface Bundle {
  readonly files: readonly Asset[];
  readonly page: PageAssets;
  /** The source files that contribute to a file of the bundle. */
  readonly sources: ReadonlySet<string>;
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
    sources: new Set(
      Object.values(metafile?.outputs ?? {}).flatMap(({ inputs }) => Object.keys(inputs)),
    ),
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
  // Iterating over a set includes members that are added during the iteration.
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

/** A file of this folder. */
async function readAsset(name: string, type: string): Promise<Asset> {
  return namedAsset(name, type, await Bun.file(join(import.meta.dir, name)).bytes());
}

function nameOf(path: string): string {
  return path.replace(/^\.\//, '');
}
