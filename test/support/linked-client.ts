import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = join(import.meta.dir, '..', '..', 'client', 'src');

/** Lets programs in a folder import the published client as `petstore-client`. */
export function linkClient(folder: string): void {
  const installed = join(folder, 'node_modules', 'petstore-client');
  mkdirSync(installed, { recursive: true });
  symlinkSync(SOURCE, join(installed, 'src'));
  writeFileSync(
    join(installed, 'package.json'),
    JSON.stringify({ name: 'petstore-client', type: 'module', exports: './src/index.ts' }),
  );
}
