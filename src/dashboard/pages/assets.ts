/** A file that pages load. Its name changes with its content, so it may be kept for ever. */
export interface Asset {
  readonly name: string;
  /** The Content-Type. */
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The names of what one page loads. */
export interface PageAssets {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  /** Modules that the scripts import at once, to be fetched along with them. */
  readonly imports: readonly string[];
}

/** Everything that the pages load, and which of it belongs to which page. */
export interface Assets {
  readonly files: readonly Asset[];
  /** What every page runs before its first paint. */
  readonly themeFirst: PageAssets;
  readonly dashboard: PageAssets;
  readonly reference: PageAssets;
  /** Of pages that hold nothing but text. */
  readonly plain: PageAssets;
}
