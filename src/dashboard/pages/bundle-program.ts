import { packPages } from './bundle-pack.ts';
import { writePack } from './packed-assets.ts';

/*
 * The program that bundles the pages for a service: it writes the pack to stdout. The bundler remembers files that it
 * could not open for as long as its process runs, and needs memory that it does not give back.
 */

await Bun.write(Bun.stdout, writePack(await packPages()));
