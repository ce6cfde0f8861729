import { describe, expect, test } from 'bun:test';
import { MINUTE } from '../../src/lib/clock.ts';
import type { Visitor } from '../support/dashboard-visitor.ts';
import { resetToken } from '../support/reset-token.ts';
import { guessWith, Scene } from './attempts-scene.ts';

describe('a browser that signed in before', () => {
  /** Uses up the attempts per minute that all addresses share. */
  async function attack(scene: Scene, email: string): Promise<void> {
    for (let guess = 0; guess < 30; guess += 1) {
      await guessWith(scene.visitor(`198.51.100.${guess}`, email));
    }
    expect(await guessWith(scene.visitor('203.0.113.7', email))).toBe(429);
  }

  /** Checks that after a new password of the owner, the thief's browser is no longer known. */
  async function expectNewPasswordToEnd(
    thief: Visitor,
    scene: Scene,
    owner: Visitor,
    path: string,
    proof: object,
  ): Promise<void> {
    const password = 'another granite kettle';
    expect((await owner.post(path, { ...proof, newPassword: password })).status).toBe(200);
    await attack(scene, owner.email);
    expect(await guessWith(thief)).toBe(429);
    const reply = await owner.post('/api/auth/sign-in/email', { email: owner.email, password });
    expect(reply.status).toBe(200);
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

    // A session without the other cookie is enough to prove the password.
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
    // A new sign-in in the same browser does not reset the limit.
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

  test('is not known any more once a link has set another password, but the one that set it is', async () => {
    await using scene = await Scene.start();
    const owner = await scene.person();
    const thief = scene.visitor('203.0.113.9', owner.email);
    thief.cookie = owner.cookie;
    const token = await resetToken(scene.service, owner.email);
    await expectNewPasswordToEnd(thief, scene, owner, '/api/auth/reset-password', { token });
  });

  test('is not known any more once another one has changed the password', async () => {
    await using scene = await Scene.start();
    const owner = await scene.person();
    const thief = scene.visitor('203.0.113.9', owner.email);
    thief.cookie = owner.cookie;
    const proof = { currentPassword: owner.password };
    await expectNewPasswordToEnd(thief, scene, owner, '/api/auth/change-password', proof);
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
