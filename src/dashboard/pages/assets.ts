import type { RenderedFrames } from '../shared/frame-templates.ts';

/** A file that pages load. Its name changes with its content, so it may be cached for ever. */
export interface Asset {
  readonly name: string;
  /** The Content-Type. */
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The names of the files that one page loads. */
export interface PageAssets {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  /** Static imports of the scripts, to be preloaded. */
  readonly imports: readonly string[];
}

/** All files that the pages load, and which page loads which. */
export interface Assets {
  readonly files: readonly Asset[];
  /** Runs on every page before its first paint. */
  readonly themeFirst: PageAssets;
  readonly dashboard: PageAssets;
  /** For the pages of the API reference. */
  readonly reference: PageAssets;
  /** The name of the font that every page needs. */
  readonly font: string;
  /** What React has rendered. */
  readonly frames: RenderedFrames;
  /** The name of the icon in the format ICO. */
  readonly favicon: string;
  /** The name of the picture in previews of links. */
  readonly preview: string;
}
