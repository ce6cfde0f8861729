import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { ManualClock, TestService } from '../support/harness.ts';

const SETTINGS = { PETSTORE_TRUSTED_PROXIES: '127.0.0.1, ::1' };

describe('guessing a password', () => {
  test('is refused after 10 failures in a minute, even with the right one, and works again afterwards', async () => {
    await using scene = await Scene.start();
    const { email, password } = await scene.person();
    const guesser = scene.visitor('198.51.100.1', email);

    for (let guess = 0; guess < 10; guess += 1) expect(await guessWith(guesser)).toBe(401);
    const refused = await guesser.post('/api/auth/sign-in/email', { email, password });

    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(await refused.json()).toEqual({
      code: 'too_many_attempts',
      message: expect.stringContaining('Wait'),
      status: 429,
    });
    scene.clock.advance(MINUTE);
    await guesser.signIn();
  });

  test('is counted per account address, whatever its case, known or not', async () => {
    await using scene = await Scene.start();
    const guesser = scene.visitor('198.51.100.1', 'nobody@example.com');
    for (let guess = 0; guess < 10; guess += 1) expect(await guessWith(guesser)).toBe(401);

    const other = scene.visitor('198.51.100.1', 'Nobody@EXAMPLE.com');

    expect(await guessWith(other)).toBe(429);
  });

  test('is refused for the rest of the day after 100 failures from one client address', async () => {
    await using scene = await Scene.start();
    const { email } = await scene.person();
    const guesser = scene.visitor('198.51.100.1', email);
    for (let minute = 0; minute < 10; minute += 1) {
      for (let guess = 0; guess < 10; guess += 1) expect(await guessWith(guesser)).toBe(401);
      scene.clock.advance(MINUTE);
    }

    const reply = await guesser.post('/api/auth/sign-in/email', { email, password: 'wrong' });

    expect(reply.status).toBe(429);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(3_600);
  });

  test('from one address does not lock the holder out at another', async () => {
    await using scene = await Scene.start();
    const { email } = await scene.person();
    const stranger = scene.visitor('198.51.100.1', email);
    for (let guess = 0; guess < 10; guess += 1) await guessWith(stranger);
    expect(await guessWith(stranger)).toBe(429);

    await scene.visitor('203.0.113.7', email).signIn();
  });

  test('from many addresses at once is limited until a minute after the attack', async () => {
    await using scene = await Scene.start();
    const { email } = await scene.person();
    for (let host = 1; host <= 3; host += 1) {
      const guesser = scene.visitor(`198.51.100.${host}`, email);
      for (let guess = 0; guess < 10; guess += 1) expect(await guessWith(guesser)).toBe(401);
    }
    expect(await guessWith(scene.visitor('198.51.100.4', email))).toBe(429);

    scene.clock.advance(MINUTE);

    await scene.visitor('203.0.113.7', email).signIn();
  });

  test("is not made easier by signing in to one's own account in between", async () => {
    await using scene = await Scene.start();
    const victim = await scene.person();
    const own = scene.visitor('198.51.100.1', 'own@example.com');
    await own.signUp();
    const guesser = scene.visitor('198.51.100.1', victim.email);
    const answers: number[] = [];
    for (let guess = 0; guess < 12; guess += 1) {
      answers.push(await guessWith(guesser));
      await own.signIn();
    }
    expect(answers).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
  });

  test('through the forms of a signed-in account counts together with sign-ins', async () => {
    await using scene = await Scene.start();
    const visitor = scene.visitor('198.51.100.1', 'a@example.com');
    await visitor.signUp();
    const bodies = {
      '/api/auth/change-password': {
        currentPassword: 'wrong',
        newPassword: 'a wholly new password',
      },
      '/api/auth/delete-user': { password: 'wrong' },
    };
    for (let guess = 0; guess < 5; guess += 1) {
      for (const [path, body] of Object.entries(bodies)) {
        expect((await visitor.post(path, body)).status).toBe(400);
      }
    }
    for (const [path, body] of Object.entries(bodies)) {
      expect((await visitor.post(path, body)).status).toBe(429);
    }
    expect(await guessWith(visitor)).toBe(429);
  });
});

describe('a browser that signed in before', () => {
  /** Uses up what all addresses together may try in a minute. */
  async function attack(scene: Scene, email: string): Promise<void> {
    for (let guess = 0; guess < 30; guess += 1) {
      await guessWith(scene.visitor(`198.51.100.${guess}`, email));
    }
    expect(await guessWith(scene.visitor('203.0.113.7', email))).toBe(429);
  }

  test('signs in, and proves the password, during an attack that refuses all others', async () => {
    await using scene = await Scene.start();
    const owner = await scene.person();
    await owner.post('/api/auth/sign-out');
    await attack(scene, owner.email);
    const { email, password } = owner;
    const elsewhere = scene.visitor('203.0.113.8', email);
    const refused = await elsewhere.post('/api/auth/sign-in/email', { email, password });
    expect(refused.status).toBe(429);

    await owner.signIn();

    // So does a session alone.
    owner.cookie = owner.cookie.split('; ').find((pair) => pair.includes('_session=')) ?? '';
    const change = { currentPassword: password, newPassword: `${password} two` };
    expect((await owner.post('/api/auth/change-password', change)).status).toBe(200);
  });

  test('has a limit of its own, from whichever address', async () => {
    await using scene = await Scene.start();
    const owner = await scene.person();
    const moved = scene.visitor('203.0.113.9', owner.email);
    moved.cookie = owner.cookie;
    for (let guess = 0; guess < 10; guess += 1) {
      expect(await guessWith(guess % 2 ? owner : moved)).toBe(401);
    }
    expect([await guessWith(owner), await guessWith(moved)]).toEqual([429, 429]);
    // A new sign-in at the same browser does not begin a new limit.
    scene.clock.advance(MINUTE);
    for (let guess = 0; guess < 9; guess += 1) await guessWith(owner);
    await owner.signIn();
    expect([await guessWith(owner), await guessWith(owner)]).toEqual([401, 429]);
  });

  test('is known for its own accounts alone, and only with a whole cookie', async () => {
    await using scene = await Scene.start();
    const victim = await scene.person();
    const browser = scene.visitor('203.0.113.7', 'guesser@example.com');
    await browser.signUp();
    const ownCookie = browser.cookie;
    await attack(scene, victim.email);
    const guesser = scene.visitor('203.0.113.8', victim.email);
    const known = /petstore_browser=([^;]+)/.exec(victim.cookie)?.[1] ?? '';
    const [id, day, signature = ''] = known.split('.');
    const later = Number(day) + 1;
    const forged = [
      ownCookie,
      `petstore_browser=${known.slice(0, -1)}`,
      `petstore_browser=${id}.${later}.${signature}`,
      `petstore_browser=${'A'.repeat(16)}.${day}.${signature}`,
      'petstore_browser=%E0%A4%A',
      'petstore_browser=~~~~',
    ];
    for (const cookie of forged) {
      guesser.cookie = cookie;
      expect([cookie, await guessWith(guesser)]).toEqual([cookie, 429]);
    }
    guesser.cookie = `petstore_browser=${known}`;
    expect(await guessWith(guesser)).toBe(401);
  });

  test('is not known for a new account with the address of one that was deleted', async () => {
    await using scene = await Scene.start();
    const former = await scene.person();
    const { email, password, cookie } = former;
    expect((await former.post('/api/auth/delete-user', { password })).status).toBe(200);
    await scene.visitor('203.0.113.9', email).signUp();
    await attack(scene, email);
    former.cookie = cookie;
    expect(await guessWith(former)).toBe(429);
  });

  test('stays known for several accounts', async () => {
    await using scene = await Scene.start();
    const owner = await scene.person();
    const second = scene.visitor('192.0.2.1', 'second@example.com');
    second.cookie = owner.cookie;
    await second.signUp();
    owner.cookie = second.cookie;
    await attack(scene, owner.email);
    scene.clock.advance(MINUTE);
    await attack(scene, second.email);
    await second.signIn();
    await owner.signIn();
  });
});

describe('a successful sign-in', () => {
  test('is not a guess: only the limit of the client address applies', async () => {
    await using scene = await Scene.start();
    const { email, password } = await scene.person();
    const visitor = scene.visitor('198.51.100.1', email);
    for (let time = 0; time < 30; time += 1) await visitor.signIn();

    const refused = await visitor.post('/api/auth/sign-in/email', { email, password });

    expect(refused.status).toBe(429);
    await scene.visitor('203.0.113.7', email).signIn();
  });
});

describe('one client address', () => {
  test('may sign up at most 30 times a minute', async () => {
    await using scene = await Scene.start();
    const answers: number[] = [];
    for (let person = 0; person < 31; person += 1) {
      const visitor = scene.visitor('198.51.100.1', `p${person}@example.com`);
      const { email, password } = visitor;
      answers.push((await visitor.post('/api/auth/sign-up/email', { email, password })).status);
    }
    expect(answers).toEqual([...Array.from({ length: 30 }, () => 200), 429]);
  });
});

/** A service behind a proxy, so that clients come from addresses of their own. */
class Scene implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly #service: TestService;

  private constructor(clock: ManualClock, service: TestService) {
    this.clock = clock;
    this.#service = service;
  }

  static async start(): Promise<Scene> {
    const clock = new ManualClock();
    return new Scene(clock, await TestService.start({ parts: PARTS, clock, settings: SETTINGS }));
  }

  /** Somebody with an account. */
  async person(): Promise<Visitor> {
    const visitor = this.visitor('192.0.2.1', 'person@example.com');
    await visitor.signUp();
    return visitor;
  }

  visitor(address: string, email: string): Visitor {
    return new Visitor(this.#service, email, { headers: { 'X-Forwarded-For': address } });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#service[Symbol.asyncDispose]();
  }
}

async function guessWith(visitor: Visitor): Promise<number> {
  const body = { email: visitor.email, password: 'not the password' };
  return (await visitor.post('/api/auth/sign-in/email', body)).status;
}
