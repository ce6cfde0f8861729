import type { NewPet, PetStatus } from './pets.ts';

const NAMES = [
  ...['Biscuit', 'Pebble', 'Juniper', 'Mochi', 'Captain', 'Olive', 'Ziggy', 'Clementine', 'Otto'],
  ...['Waffles', 'Nimbus', 'Hazel', 'Rufus', 'Saffron', 'Pickle', 'Luna', 'Barnaby', 'Fig', 'Echo'],
  ...['Marlow', 'Poppy', 'Gizmo', 'Tansy', 'Bramble', 'Cosmo', 'Dulcie', 'Frodo', 'Maple', 'Rosie'],
  ...['Søren', 'Chloë', 'Ñandú', '小雪', 'Момо', 'クロ'],
];

const SURNAMES = [
  ...['', 'of Willow Farm', 'the Second', 'the Brave', 'Junior', 'McFluff', 'von Schnurr'],
  ...['Whiskerton', 'Pawsworth', 'the Quiet', 'Longtail', 'de la Luna', 'Featherby'],
];

/** Dogs, cats, birds, fish, rabbits, reptiles, horses and rodents. */
const CATEGORIES = 8;

/** The statuses of twenty pets. */
const STATUSES: readonly PetStatus[] = [
  ...Array<PetStatus>(13).fill('available'),
  ...Array<PetStatus>(3).fill('pending'),
  ...Array<PetStatus>(4).fill('sold'),
];

/** The pet with this number: always the same one, and rarely equal to its neighbours. */
export function samplePet(number: number): NewPet {
  const mixed = Bun.hash.wyhash(String(number));
  const choose = <T>(list: readonly T[], salt: bigint, otherwise: T): T =>
    list[Number((mixed >> salt) % BigInt(list.length))] ?? otherwise;
  return {
    name: `${choose(NAMES, 0n, 'Biscuit')} ${choose(SURNAMES, 16n, '')}`.trim(),
    categoryId: 1 + Number((mixed >> 32n) % BigInt(CATEGORIES)),
    status: choose(STATUSES, 48n, 'available'),
  };
}
