import { describe, expect, test } from 'bun:test';
import { newId } from '../../src/core/ids.ts';
import { AccountSlots } from '../../src/limits/memory/account-slots.ts';

function accounts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `account:${newId('acct', 1e12 + index)}`);
}

/** Names that are no ids, or differ from one by little. */
function oddNames([account = '']: string[]): string[] {
  return ['account:1', '', `${account}0`, account.toUpperCase(), `${account.slice(0, -1)}g`];
}

function expectSame(slots: AccountSlots, expected: ReadonlyMap<string, number>): void {
  const seen: number[] = [];
  slots.deleteWhere((slot) => {
    seen.push(slot);
    return false;
  });
  expect(seen.toSorted((a, b) => a - b)).toEqual([...expected.values()].sort((a, b) => a - b));
  for (const [caller, slot] of expected) expect(slots.get(caller)).toBe(slot);
}

describe('the slots of accounts', () => {
  test('hold what a map would, whatever comes and goes', () => {
    const slots = new AccountSlots();
    const expected = new Map<string, number>();
    const known = accounts(5_000);
    for (const [slot, caller] of [...known, ...oddNames(known)].entries()) {
      expect(slots.get(caller)).toBeUndefined();
      slots.put(caller, slot);
      expected.set(caller, slot);
    }
    expectSame(slots, expected);
    const [, deleted = '', ...others] = oddNames(known);
    const gone = known.filter((_, index) => index % 3 === 0);
    const leaving = new Set([...gone, deleted].map((caller) => expected.get(caller)));
    slots.deleteWhere((slot) => leaving.has(slot));
    for (const caller of [...gone, deleted]) {
      expected.delete(caller);
      expect(slots.get(caller)).toBeUndefined();
    }
    expectSame(slots, expected);
    // As slots are given: those that came free first, then new ones.
    for (const [index, caller] of [...gone, ...accounts(5_000)].entries()) {
      const slot = index < gone.length ? index * 3 : 10_000 + index;
      slots.put(caller, slot);
      expected.set(caller, slot);
    }
    expectSame(slots, expected);
    expect(slots.get(others.at(-1) ?? '')).toBe(expected.get(others.at(-1) ?? ''));
  });

  test('tell ids apart that end alike', () => {
    const slots = new AccountSlots();
    const ids = ['0', '1', '2', 'f'].map((digit) => `account:acct_${digit.padEnd(32, '0')}`);
    for (const [slot, caller] of ids.entries()) slots.put(caller, slot);
    slots.deleteWhere((slot) => slot === 1);
    expect(ids.map((caller) => slots.get(caller))).toEqual([0, undefined, 2, 3]);
  });
});
