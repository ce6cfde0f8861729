import { describe, expect, test } from 'bun:test';
import { LazyParts, lazy, lazyImport } from '../../src/lib/lazy.ts';

test('a lazy load that failed is tried again, and one that succeeded is kept', async () => {
  let tries = 0;
  const load = lazy(async () => {
    tries += 1;
    if (tries === 1) throw new Error('no file descriptor is left');
    return { tries };
  });
  const failures = [load(), load()].map((each) => each.catch(String));
  const reason = 'Error: no file descriptor is left';
  expect(await Promise.all(failures)).toEqual([reason, reason]);
  const [first, second] = [await load(), await load()];
  expect(first).toEqual({ tries: 2 });
  expect(second).toBe(first);
});

describe('the lazy parts of a service', () => {
  const pause = async () => {};

  test('are each created once, by the first use or by loading all', async () => {
    const parts = new LazyParts();
    const made: string[] = [];
    const part = (name: string) =>
      parts.add(async () => {
        made.push(name);
        return name;
      });
    const used = part('used');
    part('other');
    expect(await used()).toBe('used');
    await parts.load(pause);
    expect(await used()).toBe('used');
    expect(made).toEqual(['used', 'other']);
  });

  test('are loaded together with the parts that they declare', async () => {
    const parts = new LazyParts();
    const made: string[] = [];
    parts.add(async () => {
      lazyImport(async () => made.push('its code'));
      parts.add(async () => made.push('its part'));
      made.push('dashboard');
    });
    await parts.load(pause);
    expect(made).toEqual(['dashboard', 'its code', 'its part']);
  });

  test('are not loaded after one that cannot be loaded, nor after loading was stopped', async () => {
    const parts = new LazyParts();
    let isLoaded = false;
    parts.add(async () => {
      throw new Error('no file descriptor is left');
    });
    parts.add(async () => {
      isLoaded = true;
    });
    const stopped = async () => {
      throw new Error('stopped');
    };
    await expect(parts.load(pause)).rejects.toThrow('no file descriptor is left');
    await expect(parts.load(stopped)).rejects.toThrow('stopped');
    expect(isLoaded).toBe(false);
  });
});
