import { describe, expect, test } from 'bun:test';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { PASSWORD } from '../support/dashboard-visitor.ts';
import { Scene } from './attempts-scene.ts';

const LIMITS = { PETSTORE_SIGN_UPS_PER_MINUTE: '3', PETSTORE_SIGN_UPS_PER_DAY: '5' };
const ADDRESS = '198.51.100.1';

/** Signs up with a new e-mail address. */
function signUp(scene: Scene, name: string, address = ADDRESS): Promise<Response> {
  const email = `${name}@example.com`;
  const body = { email, password: PASSWORD };
  return scene.visitor(address, email).post('/api/auth/sign-up/email', body);
}

/** The status of an attempt with a link that was never sent. */
async function openLink(scene: Scene, address = ADDRESS): Promise<number> {
  const visitor = scene.visitor(address, 'nobody@example.com');
  const body = { token: 'made-up', newPassword: PASSWORD };
  return (await visitor.post('/api/auth/verify-email', body)).status;
}

describe('the limits of sign-ups from one client address', () => {
  test('are settings, for the minute and for the day, and the refusal says how long to wait', async () => {
    await using scene = await Scene.start(LIMITS);
    for (const name of ['a', 'b', 'c']) expect((await signUp(scene, name)).status).toBe(200);

    const inMinute = await signUp(scene, 'd');

    expect(inMinute.status).toBe(429);
    expect(inMinute.headers.get('retry-after')).toBe('60');
    expect(inMinute.headers.get('x-ratelimit-limit')).toBe('3');
    expect(await inMinute.json()).toEqual({
      code: 'too_many_attempts',
      message: 'Too many sign-ups from your network address. Wait 60 seconds, then try again.',
      status: 429,
    });

    scene.clock.advance(MINUTE);
    for (const name of ['d', 'e']) expect((await signUp(scene, name)).status).toBe(200);
    const inDay = await signUp(scene, 'f');

    expect(inDay.status).toBe(429);
    expect(inDay.headers.get('x-ratelimit-limit')).toBe('5');
    const { message } = await inDay.json();
    expect(message).toBe(
      'Too many sign-ups from your network address. Wait 12 hours, then try again.',
    );
    expect((await signUp(scene, 'f', '203.0.113.7')).status).toBe(200);

    scene.clock.advance(DAY / 2);
    expect((await signUp(scene, 'f')).status).toBe(409);
    expect((await signUp(scene, 'g')).status).toBe(200);
  });

  test('are apart from those of other attempts: neither uses the other up', async () => {
    await using scene = await Scene.start({ PETSTORE_SIGN_UPS_PER_MINUTE: '1' });
    expect((await signUp(scene, 'a')).status).toBe(200);
    expect((await signUp(scene, 'b')).status).toBe(429);

    for (let attempt = 0; attempt < 30; attempt += 1) expect(await openLink(scene)).toBe(400);
    expect(await openLink(scene)).toBe(429);

    const other = '203.0.113.7';
    for (let attempt = 0; attempt < 30; attempt += 1) await openLink(scene, other);
    expect(await openLink(scene, other)).toBe(429);
    expect((await signUp(scene, 'b', other)).status).toBe(200);
  });
});
