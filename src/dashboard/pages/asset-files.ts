import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { entityTagIn } from '../../core/entity-tags.ts';
import { codingChooser } from '../../http/body/content-coding.ts';
import { isNotModified } from '../../http/reply/entity-tag.ts';
import type { Asset } from './assets.ts';
import type { PackedAsset, PackedAssets } from './packed-assets.ts';

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
export type Coding = keyof typeof CODINGS;

const CODING_NAMES = ['br', 'gzip'] as const satisfies readonly Coding[];

const chooseCoding = codingChooser<Coding>(CODING_NAMES);

/** Assets with their files ready to be sent. */
export interface ServedAssets {
  readonly assets: PackedAssets;
  readonly files: ReadonlyMap<string, AssetFile>;
}

export function servedAssets(assets: PackedAssets): ServedAssets {
  return { assets, files: assetFiles(assets.files) };
}

/** The assets by name, ready to be sent. */
export function assetFiles(assets: readonly PackedAsset[]): ReadonlyMap<string, AssetFile> {
  return new Map(assets.map((asset) => [asset.name, new AssetFile(asset)]));
}

/** An asset with its compressed forms. */
export async function compressed(asset: Asset): Promise<PackedAsset> {
  const [br, gzip] = await Promise.all(CODING_NAMES.map((coding) => CODINGS[coding](asset.bytes)));
  return { ...asset, br: new Uint8Array(br ?? []), gzip: new Uint8Array(gzip ?? []) };
}

/** An asset, with its compressed forms: those that were packed with it, others once they are requested. */
export class AssetFile {
  readonly #asset: PackedAsset;
  readonly #made = new Map<Coding, Promise<Uint8Array<ArrayBuffer>>>();

  constructor(asset: PackedAsset) {
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
    if (isNotModified(request, entityTag, true))
      return new Response(null, { status: 304, headers });
    headers.set('Content-Type', this.#asset.type);
    if (!coding) return new Response(this.#asset.bytes, { headers });
    headers.set('Content-Encoding', coding);
    const bytes = this.#asset[coding] ?? (await this.#compressed(coding));
    return new Response(bytes, { headers });
  }

  #compressed(coding: Coding): Promise<Uint8Array<ArrayBuffer>> {
    const made =
      this.#made.get(coding) ??
      CODINGS[coding](this.#asset.bytes).then((bytes) => new Uint8Array(bytes));
    this.#made.set(coding, made);
    return made;
  }
}
