import { describe, expect, test } from 'bun:test';
import { newId } from '../src/core/ids.ts';
import { AccountSlots } from '../src/memory/account-slots.ts';

function accounts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `account:${newId('acct', 1e12 + index)}`);
}

/** Names that are no ids, or differ from one by little. */
function oddNames([account = '']: string[]): string[] {
  return ['account:1', '', `${account}0`, account.toUpperCase(), `${account.slice(0, -1)}g`];
}

function expectSame(slots: AccountSlots, expected: ReadonlyMap<string, number>): void {
  expect(new Map(slots)).toEqual(new Map(expected));
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
    for (const caller of [...gone, deleted, ...gone]) {
      slots.delete(caller);
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
    slots.delete(ids[1] ?? '');
    expect(ids.map((caller) => slots.get(caller))).toEqual([0, undefined, 2, 3]);
  });

  test('may lose callers while they are gone through', () => {
    const slots = new AccountSlots();
    for (const [slot, caller] of accounts(3_000).entries()) slots.put(caller, slot);
    for (const [caller, slot] of slots) if (slot !== 7) slots.delete(caller);
    expect(Array.from(slots, ([, slot]) => slot)).toEqual([7]);
  });
});
