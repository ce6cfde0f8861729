import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/browser.ts';
import { Walker } from './walker.ts';
import { WALKS } from './walks.ts';

/*
 * Walks through the real service in a browser like its users, role by role: npm run walk [-- NAME...]
 *
 * The last line says how many walks passed. Exit code 1: a walk has failed; 2: there is no such walk.
 */

const names = process.argv.length > 2 ? process.argv.slice(2) : [...WALKS.keys()];
const unknown = names.filter((name) => !WALKS.has(name));
if (unknown.length > 0) {
  console.error(`There is no walk ${unknown.join(', ')}. Walks: ${[...WALKS.keys()].join(', ')}`);
  process.exit(2);
}

const browser = await launchBrowser();
let passed = 0;
try {
  for (const name of names) if (await hasPassed(name, browser)) passed += 1;
} finally {
  await browser.close();
}
console.log(`${passed} of ${names.length} walks passed.`);
process.exit(passed === names.length ? 0 : 1);

async function hasPassed(name: string, browser: Browser): Promise<boolean> {
  console.log(name);
  await using walker = new Walker(browser);
  try {
    await WALKS.get(name)?.(walker);
    walker.expectNoProblems();
    walker.step('passed');
    return true;
  } catch (error) {
    console.error(error);
    walker.step('FAILED');
    return false;
  }
}
