import { describe, expect, test } from 'bun:test';
import { MINUTE } from '../../src/lib/clock.ts';
import { guessWith, Scene } from './attempts-scene.ts';

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
