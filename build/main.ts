import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { makeBillOfMaterials } from './bill-of-materials.ts';
import { buildExecutable } from './executable.ts';

const folder = join(import.meta.dir, '..', 'dist');
const startedAt = performance.now();
await rm(folder, { recursive: true, force: true });
await mkdir(folder);
const bill = await makeBillOfMaterials();
const billFile = join(folder, 'petstore.cdx.json');
await writeFile(billFile, `${JSON.stringify(bill, undefined, 2)}\n`);
const file = await buildExecutable(folder);
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
const megabytes = ((await stat(file)).size / 1_000_000).toFixed(0);
process.stdout.write(`${relative('', file)}: ${megabytes} MB, built in ${seconds} s\n`);
process.stdout.write(`${relative('', billFile)}: ${bill.components.length} packages\n`);
