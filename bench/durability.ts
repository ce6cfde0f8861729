import { parseArgs } from 'node:util';
import { crashRounds } from '../test/storage/crash-rounds.ts';

/** The crash test of the suite, with a chosen number of rounds. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    connections: { type: 'string', default: '32' },
  },
});

const [rounds = 0, seed = 0, connections = 0] = [
  values.rounds,
  values.seed,
  values.connections,
].map(Number);
if (![rounds, seed, connections].every((number) => Number.isSafeInteger(number) && number >= 1)) {
  console.error('Use whole numbers of at least 1.');
  process.exit(2);
}

console.log(`seed ${seed}: ${rounds} crashes, ${connections} connections`);
const { acknowledged, repeated } = await crashRounds({
  rounds,
  seed,
  connections,
  onRound(round, progress) {
    if (round % 10 === 0) console.log(`${round} crashes: ${progress.acknowledged} pets, none lost`);
  },
});
console.log(
  `${acknowledged} acknowledged pets, none lost; ${repeated} repeated requests, none created twice`,
);
