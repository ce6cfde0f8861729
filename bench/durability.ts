import { parseArgs } from 'node:util';
import {
  type CrashProgress,
  crashRounds,
  loseChanges,
  OTHER_SUBJECTS,
} from '../test/storage/crash/crash-rounds.ts';
import { canPreload } from '../test/storage/disk/faulty-disk.ts';
import { cutPower } from '../test/storage/disk/power-cuts.ts';

/** Runs the tests that kill the service and simulate power cuts, with the given numbers of both. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '500' },
    images: { type: 'string', default: '240' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    connections: { type: 'string', default: '32' },
  },
});

const [rounds = 0, images = 0, seed = 0, connections = 0] = [
  values.rounds,
  values.images,
  values.seed,
  values.connections,
].map(Number);
if (
  ![rounds, images, seed, connections].every(
    (number) => Number.isSafeInteger(number) && number >= 1,
  )
) {
  console.error('Use whole numbers of at least 1.');
  process.exit(2);
}

if (canPreload) {
  const { expected, failures } = await cutPower({ creations: 3_000, images, seed });
  console.log(
    `seed ${seed}: ${images} power cuts, ${expected} checks of acknowledged requests, ${failures.length} images failed`,
  );
  for (const failure of failures) console.error(failure);
  const control = { creations: 300, images: 20, seed, ignoresFsync: true };
  const caught = (await cutPower(control)).failures.length;
  console.log(
    `control, on a disk that ignores fsync: ${caught} of ${control.images} images failed`,
  );
  if (failures.length > 0 || caught === 0) process.exit(1);
} else console.log('No power cuts: they need Linux and a C compiler (cc).');

console.log(`seed ${seed}: ${rounds} crashes, ${connections} connections`);
const { acknowledged, repeated } = await crashRounds({
  rounds,
  seed,
  connections,
  isComplete: true,
  onRound(round, progress) {
    if (round % 10 === 0) console.log(`${round} crashes: ${listed(progress)}, none lost`);
  },
});
console.log(
  `acknowledged: ${listed({ acknowledged })}, none lost; ${repeated} repeated requests, none created twice`,
);
for (const Subject of OTHER_SUBJECTS) {
  const problem = await loseChanges(() => new Subject());
  console.log(`control, lost ${new Subject().name}: ${problem ?? 'not noticed'}`);
  if (problem === undefined) process.exitCode = 1;
}

function listed({ acknowledged: counts }: Pick<CrashProgress, 'acknowledged'>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}
