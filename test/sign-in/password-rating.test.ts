import { describe, expect, test } from 'bun:test';
import { PasswordRater } from '../../src/dashboard/sign-in/password-rater.ts';
import { dashboardScene, expectRefusal } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';

const DOUBLE = new URL('./rating-thread-double.ts', import.meta.url).href;

/** A rater whose thread rates each password as the password says. @param timeout ms */
function raterOfDoubles(timeout: number) {
  const threads: Worker[] = [];
  const rater = new PasswordRater(() => {
    const thread = new Worker(DOUBLE, { ref: false });
    threads.push(thread);
    return thread;
  }, timeout);
  return {
    threads,
    rate: (password: string, address = '198.51.100.1') =>
      rater.rate({ password, email: 'jane@example.com', address }),
    [Symbol.dispose]() {
      for (const thread of threads) thread.terminate();
    },
  };
}

/** Far more than a slow machine needs, in ms. */
const AMPLE = 60_000;

describe('a password that is rated', () => {
  test('is refused if that takes too long, and the next one is rated by another thread', async () => {
    using rater = raterOfDoubles(100);
    expect(await rater.rate('never ends')).toContain('too many to rate it');
    using patient = raterOfDoubles(AMPLE);
    expect(await patient.rate('common')).toBe('It is common.');
    expect(rater.threads).toHaveLength(2);
  });

  test('fails if the thread fails, and the next one is rated by another thread', async () => {
    using rater = raterOfDoubles(AMPLE);
    expect(await rater.rate('strong')).toBeUndefined();
    await expect(rater.rate('fails')).rejects.toThrow('the thread has failed');
    expect(await rater.rate('common')).toBe('It is common.');
    expect(rater.threads).toHaveLength(2);
  });

  test('waits for one password of each other address, not for all of them', async () => {
    using rater = raterOfDoubles(AMPLE);
    const order: string[] = [];
    const rate = async (address: string) => {
      await rater.rate('strong', address);
      order.push(address);
    };
    await Promise.all([...Array.from({ length: 5 }, () => rate('a')), rate('b'), rate('c')]);
    // The first one of `a` is being rated when the others arrive.
    expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'a', 'a']);
  });

  test('is refused with advice while too many of its address wait, or too many of all', async () => {
    using rater = raterOfDoubles(AMPLE);
    const waiting = Array.from({ length: 11 }, () => rater.rate('strong', 'a'));
    await expect(rater.rate('strong', 'a')).rejects.toMatchObject({
      code: 'too_many_attempts',
      headers: { 'Retry-After': '5' },
    });
    for (let address = 0; address < 90; address += 1) {
      waiting.push(rater.rate('strong', `${address}`));
    }
    await expect(rater.rate('strong', 'b')).rejects.toMatchObject({ code: 'too_many_attempts' });
    await Promise.all(waiting);
    expect(await rater.rate('strong', 'b')).toBeUndefined();
  });
});

/** Passwords of signs that stand for letters, which take long to rate, and whether they are weak. */
const LEET: ReadonlyArray<readonly [password: string, isWeak: boolean]> = [
  ['P@$$w0rd', true],
  ['M1ch4el!2026', true],
  ['1l0v3p3t5t0r3', true],
  ['4@'.repeat(20), true],
  ['P@$$w0rd!1|7+2%4863'.repeat(2), false],
  ['({[<4@8369!1|0$5+7%2({[<4@8369!1|0$5+7%2', false],
  ['c0k5coc1$ejc1kn|a4iojob(g9m|0p${bii{1kb51(cd4(cdkjo1{', false],
  ['4'.repeat(128), true],
  ['😀'.repeat(64), true],
  ['1984'.repeat(32), true],
];

describe('at a sign-up, a password of signs that stand for letters', () => {
  test.each(LEET)('%s is weak: %p', async (password, isWeak) => {
    await using scene = await dashboardScene();
    const visitor = new Visitor(scene.service, 'jane.doe@example.com', { password });
    const { email } = visitor;
    const reply = await visitor.post('/api/auth/sign-up/email', { email, password });
    if (isWeak) await expectRefusal(reply, 400, 'weak_password');
    else expect(reply.status).toBe(200);
  });

  test('lets other requests through while it is rated', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    // Loads what signing in needs.
    await new Visitor(service).signUp();
    const password = 'oo1oh((i||3b{|948ajj3f@oc{{ck48n9i(c3b3aaago@jg3p0!';
    const visitor = new Visitor(service, undefined, { password });
    let isRated = false;
    const signUp = visitor.signUp().finally(() => {
      isRated = true;
    });
    let answered = 0;
    while (!isRated) {
      expect((await service.request('/openapi.json')).status).toBe(200);
      answered += 1;
    }
    await signUp;
    expect(answered).toBeGreaterThan(20);
  });
});
