import { closeSync, openSync } from 'node:fs';
import { descriptorOf } from '../../../src/http/simulation/descriptor.ts';
import { acceptedConnection } from './accepted-connection.ts';

/** The number of look-ups of the program. */
export const LOOK_UPS = 60;

/** Looks up a connection, each time while the last free descriptor is taken at another step; counts the failures. */
async function countFailures(): Promise<number> {
  const connection = await acceptedConnection();
  const opened: number[] = [];
  try {
    for (;;) opened.push(openSync('/dev/null', 'r'));
  } catch {}
  let failures = 0;
  for (let lookUp = 0; lookUp < LOOK_UPS; lookUp += 1) {
    closeSync(opened.pop() ?? -1);
    const done = descriptorOf(connection.ends).catch(() => {
      failures += 1;
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
  connection.close();
  return failures;
}

// Run as a program with a low limit of descriptors.
if (import.meta.main) console.log(`${await countFailures()} of ${LOOK_UPS} look-ups failed`);
