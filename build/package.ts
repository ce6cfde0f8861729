import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeBillOfMaterials } from './bill-of-materials.ts';
import { bundlePagesInto, bundleService, ROOT } from './bundle.ts';
import { licenseTexts } from './licenses.ts';

/*
 * Bundles what `npm pack` packs: the service with its packages, and its pages, into lib. Installed, it needs nothing but
 * the runtime. npm runs this before it packs; a checkout runs its source.
 */

const FOLDER = join(ROOT, 'lib');

const draft = await mkdtemp(join(ROOT, 'lib-'));
try {
  await bundlePagesInto(draft);
  // The runtime reads a map only for the stack of an error.
  await bundleService({ outdir: draft, sourcemap: 'linked' });
  const bill = await makeBillOfMaterials();
  await writeFile(join(draft, 'petstore.cdx.json'), `${JSON.stringify(bill, undefined, 2)}\n`);
  await writeFile(join(draft, 'licenses.txt'), await licenseTexts(bill));
  await rm(FOLDER, { recursive: true, force: true });
  await rename(draft, FOLDER);
} catch (error) {
  await rm(draft, { recursive: true });
  throw error;
}
