import { mkdir, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { buildExecutable } from './executable.ts';

const folder = join(import.meta.dir, '..', 'dist');
const startedAt = performance.now();
await rm(folder, { recursive: true, force: true });
await mkdir(folder);
const file = await buildExecutable(folder);
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
const megabytes = ((await stat(file)).size / 1_000_000).toFixed(0);
process.stdout.write(`${relative('', file)}: ${megabytes} MB, built in ${seconds} s\n`);
