import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { entityTagIn } from '../../core/entity-tags.ts';
import { codingChooser } from '../../http/body/content-coding.ts';
import { isNotModified } from '../../http/reply/entity-tag.ts';
import type { Asset, Assets } from './assets.ts';

/** The path of the assets, with a trailing slash. */
export const ASSETS = '/assets/';

/** In order of preference. Above quality 6, brotli takes three times as long for 2 % less. */
const CODINGS = {
  br: (bytes: Uint8Array) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 6,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes, { level: 9 }),
};
type Coding = keyof typeof CODINGS;

const chooseCoding = codingChooser<Coding>(['br', 'gzip']);

/** Assets with their files ready to be sent. */
export interface ServedAssets {
  readonly assets: Assets;
  readonly files: ReadonlyMap<string, AssetFile>;
}

export function servedAssets(assets: Assets): ServedAssets {
  return { assets, files: assetFiles(assets.files) };
}

/** The assets by name, ready to be sent. */
export function assetFiles(assets: readonly Asset[]): ReadonlyMap<string, AssetFile> {
  return new Map(assets.map((asset) => [asset.name, new AssetFile(asset)]));
}

/** An asset, with its compressed forms once they have been requested. */
export class AssetFile {
  readonly #asset: Asset;
  readonly #made = new Map<Coding, Promise<Uint8Array<ArrayBuffer>>>();

  constructor(asset: Asset) {
    this.#asset = asset;
  }

  /** The file in the best encoding that the client accepts, unless the client has it already. */
  async reply(request: Request): Promise<Response> {
    const { coding } = chooseCoding(request.headers.get('accept-encoding'));
    // The name holds a hash of the content.
    const entityTag = entityTagIn(coding, `"${this.#asset.name}"`);
    const headers = new Headers({
      'Cache-Control': 'public, max-age=31536000, immutable',
      ETag: entityTag,
      Vary: 'Accept-Encoding',
    });
    if (isNotModified(request, entityTag)) return new Response(null, { status: 304, headers });
    headers.set('Content-Type', this.#asset.type);
    if (!coding) return new Response(this.#asset.bytes, { headers });
    headers.set('Content-Encoding', coding);
    return new Response(await this.#compressed(coding), { headers });
  }

  #compressed(coding: Coding): Promise<Uint8Array<ArrayBuffer>> {
    const made =
      this.#made.get(coding) ??
      CODINGS[coding](this.#asset.bytes).then((bytes) => new Uint8Array(bytes));
    this.#made.set(coding, made);
    return made;
  }
}
