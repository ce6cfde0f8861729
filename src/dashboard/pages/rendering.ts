import type { RenderedFrames } from '../shared/frame-templates.ts';

/** What the program exports. */
interface Rendered {
  readonly frames: RenderedFrames;
  readonly themeStyles: string;
}

interface RenderedPages extends Rendered {
  /** The source files of the program. */
  readonly sources: ReadonlySet<string>;
}

/**
 * Bundles the program that renders with React, and runs it. It is bundled, because the packages of components and icons
 * have thousands of files, and React is several times as slow without the setting for production.
 * @throws Error with the bundler's messages when the source cannot be bundled.
 */
export async function renderPages(entry: string): Promise<RenderedPages> {
  const { success, logs, outputs, metafile } = await Bun.build({
    entrypoints: [entry],
    target: 'bun',
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
    throw: false,
  });
  const [output] = outputs;
  if (!success || !output) {
    throw new Error(`Cannot bundle ${entry}:\n${logs.map(String).join('\n')}`);
  }
  const program = URL.createObjectURL(new Blob([await output.text()], { type: 'text/javascript' }));
  const { frames, themeStyles }: Rendered = await import(program);
  URL.revokeObjectURL(program);
  return {
    frames,
    themeStyles,
    sources: new Set(Object.keys(metafile?.inputs ?? {})),
  };
}
