import { expect, test } from 'bun:test';
import { BoundedMap } from '../../src/lib/bounded-map.ts';

test('one entry too many pushes out the one that came first, again and again', () => {
  const map = new BoundedMap<string, number>(2);
  expect([map.put('a', 1), map.put('b', 2)]).toEqual([undefined, undefined]);
  expect(map.put('c', 3)).toEqual(['a', 1]);
  expect(map.put('d', 4)).toEqual(['b', 2]);
  expect([...map]).toEqual([
    ['c', 3],
    ['d', 4],
  ]);
});

test('a new value of a key that is there pushes nothing out, and keeps its place', () => {
  const map = new BoundedMap<string, number>(2);
  map.put('a', 1);
  map.put('b', 2);
  expect(map.put('a', 3)).toBe(undefined);
  expect(map.put('c', 4)).toEqual(['a', 3]);
});

test('what was deleted makes room, also of what comes next to be pushed out', () => {
  const map = new BoundedMap<string, number>(2);
  for (const [index, key] of ['a', 'b', 'c'].entries()) map.put(key, index);
  map.delete('b');
  expect(map.put('d', 4)).toBe(undefined);
  expect(map.put('e', 5)).toEqual(['c', 2]);
  map.delete('d');
  map.delete('e');
  expect([map.put('f', 6), map.put('g', 7)]).toEqual([undefined, undefined]);
  expect(map.put('h', 8)).toEqual(['f', 6]);
});

test('entries are deleted by their value, and make room', () => {
  const map = new BoundedMap<string, number>(3);
  for (const [index, key] of ['a', 'b', 'c'].entries()) map.put(key, index);
  map.deleteWhere((value) => value !== 1);
  expect([...map]).toEqual([['b', 1]]);
  expect([map.put('d', 3), map.put('e', 4)]).toEqual([undefined, undefined]);
  expect(map.put('f', 5)).toEqual(['b', 1]);
});
