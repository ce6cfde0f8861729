import { deserialize, serialize } from 'bun:jsc';
import type { Asset, Assets } from './assets.ts';

/** An asset with its compressed forms, as far as they are made. */
export interface PackedAsset extends Asset {
  readonly br?: Uint8Array<ArrayBuffer>;
  readonly gzip?: Uint8Array<ArrayBuffer>;
}

export interface PackedAssets extends Assets {
  readonly files: readonly PackedAsset[];
}

/** All assets in one file, and what they were made of. */
export interface AssetPack {
  readonly assets: PackedAssets;
  /** The files that they were made of, relative to the root of the project. */
  readonly sources: readonly string[];
  /** Of the contents of these files, see `sourcesDigest`. */
  readonly digest: string;
}

const DIGEST_BYTES = 32;

/** The pack as bytes, which begin with a digest of the rest. */
export function writePack(pack: AssetPack): Uint8Array<ArrayBuffer> {
  const content = Buffer.from(serialize(pack));
  return new Uint8Array(Buffer.concat([digestOf(content), content]));
}

/** Reads what `writePack` wrote. @returns `undefined` if the bytes are damaged. */
export function readPack(bytes: Uint8Array): AssetPack | undefined {
  const content = bytes.subarray(DIGEST_BYTES);
  if (!digestOf(content).equals(bytes.subarray(0, DIGEST_BYTES))) return undefined;
  // The digest shows that this is what `writePack` wrote, and the digest of the sources that it was this version.
  return deserialize(Buffer.from(content));
}

function digestOf(content: Uint8Array): Buffer {
  return new Bun.CryptoHasher('sha256').update(content).digest();
}
