import type { Asset } from './assets.ts';

/** An asset with a hash of its content in its name. */
export function namedAsset(name: string, type: string, bytes: Asset['bytes']): Asset {
  const hash = Bun.hash.wyhash(bytes).toString(36).padStart(8, '0');
  return { name: name.replace('.', `-${hash}.`), type, bytes };
}
