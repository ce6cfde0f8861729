import { describe, expect, test } from 'bun:test';
import { makeBillOfMaterials } from '../../build/bill-of-materials.ts';
import { runtimePackages } from '../../build/bundled-packages.ts';
import packageJson from '../../package.json';

describe('the software bill of materials', () => {
  test('lists what the service runs with, with versions, and nothing of the tests', async () => {
    const bill = await makeBillOfMaterials();
    const { component } = bill.metadata;

    expect([bill.bomFormat, bill.specVersion]).toEqual(['CycloneDX', '1.5']);
    expect([component.name, component.version]).toEqual(['petstore', packageJson.version]);
    const names = new Set(bill.components.map(({ name }) => name));
    const purls = bill.components.map(({ purl }) => purl);
    const needed = await runtimePackages();
    expect(needed).toEqual(
      expect.arrayContaining([expect.stringMatching(/^bun@/), expect.stringMatching(/^react@/)]),
    );
    expect(purls).toEqual(
      expect.arrayContaining(needed.map((each) => `pkg:npm/${each.replace(/^@/, '%40')}`)),
    );
    const ofTests = ['@biomejs/biome', 'axe-core', 'fast-check', 'playwright-core', 'typescript'];
    expect(Object.keys(packageJson.devDependencies)).toEqual(expect.arrayContaining(ofTests));
    expect(ofTests.filter((name) => names.has(name))).toEqual([]);
  });

  test('has the license and the digest of each package, and what it needs', async () => {
    const { components, dependencies, metadata } = await makeBillOfMaterials();
    const incomplete = components.filter(
      ({ hashes, licenses }) => hashes?.[0]?.alg !== 'SHA-512' || !licenses?.length,
    );
    expect(components.length).toBeGreaterThan(100);
    expect(incomplete).toEqual([]);
    const refs = new Set([metadata.component, ...components].map((each) => each['bom-ref']));
    expect(new Set(dependencies.map(({ ref }) => ref))).toEqual(refs);
    const dangling = dependencies
      .flatMap(({ dependsOn }) => dependsOn)
      .filter((ref) => !refs.has(ref));
    expect(dangling).toEqual([]);
  });
});
