import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BillOfMaterials, Component } from './bill-of-materials.ts';
import { ROOT } from './bundle.ts';

/** The licenses of the packages in a bill of materials, which a copy of their code has to carry. */
export async function licenseTexts({ components }: BillOfMaterials): Promise<string> {
  const texts = await Promise.all(components.map(licenseOf));
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

async function licenseOf({ name, version }: Component): Promise<string> {
  const folder = join(ROOT, 'node_modules', name);
  const files = (await readdir(folder)).filter((file) => /^(?:licen[cs]e|notice)/i.test(file));
  const texts = await Promise.all(files.sort().map((file) => Bun.file(join(folder, file)).text()));
  const { license } = await Bun.file(join(folder, 'package.json')).json();
  return [`${name} ${version}: ${license}`, ...texts.map((text) => text.trim())].join('\n\n');
}
