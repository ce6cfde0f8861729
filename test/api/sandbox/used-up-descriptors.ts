import { closeSync, openSync } from 'node:fs';
import { descriptorOf } from '../../../src/http/simulation/descriptor.ts';
import { acceptedConnection } from './accepted-connection.ts';

/**
 * Looks up a connection while the last free descriptor is taken, each time at another step of the look-up. Started with
 * a low limit of descriptors.
 */
const LOOK_UPS = 60;
const connection = await acceptedConnection();
const opened: number[] = [];
try {
  for (;;) opened.push(openSync('/dev/null', 'r'));
} catch {}
let failed = 0;
for (let lookUp = 0; lookUp < LOOK_UPS; lookUp += 1) {
  closeSync(opened.pop() ?? -1);
  const done = descriptorOf(connection.ends).catch(() => {
    failed += 1;
  });
  for (let turn = 0; turn < lookUp % 20; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  try {
    opened.push(openSync('/dev/null', 'r'));
    await done;
  } catch {
    // The look-up has the descriptor at this moment.
    await done;
    opened.push(openSync('/dev/null', 'r'));
  }
}
for (const each of opened) closeSync(each);
console.log(`${failed} of ${LOOK_UPS} look-ups failed`);
connection.close();
