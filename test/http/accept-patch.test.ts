import { describe, expect, test } from 'bun:test';
import { TestService } from '../support/harness.ts';
import { callSandbox } from '../support/sandbox-scene.ts';
import { sharedService } from '../support/shared-service.ts';

const shared = sharedService(() => TestService.start());

describe('Accept-Patch', () => {
  test('names the media types of a PATCH in the replies to OPTIONS and to another media type', async () => {
    const service = shared();
    const { secret } = await service.account(undefined, 'staging');
    const options = await callSandbox(service, secret, 'OPTIONS', '/clock');
    expect([options.status, options.headers.get('Accept-Patch')]).toEqual([
      204,
      'application/json',
    ]);
    for (const type of ['text/plain', 'application/json-patch+json', '']) {
      const reply = await fetch(`${service.url('sandbox')}/clock`, {
        method: 'PATCH',
        headers: {
          Authorization: `Bearer ${secret}`,
          'Content-Type': type,
          Origin: 'https://example.com',
        },
        body: '{"advanceSeconds":1}',
      });
      expect([reply.status, reply.headers.get('Accept-Patch')]).toEqual([400, 'application/json']);
      expect(reply.headers.get('Access-Control-Expose-Headers')).toContain('Accept-Patch');
    }
  });

  test('is absent from other replies', async () => {
    const service = shared();
    const { secret } = await service.account(undefined, 'staging');
    const replies = [
      await callSandbox(service, secret, 'OPTIONS', '/ban'),
      await callSandbox(service, secret, 'PATCH', '/clock', {}),
      await callSandbox(service, secret, 'PUT', '/ban', 'text'),
      await callSandbox(service, secret, 'PATCH', '/clock', { advanceSeconds: 1 }),
    ];
    expect(replies.map(({ status, headers }) => [status, headers.get('Accept-Patch')])).toEqual([
      [204, null],
      [400, null],
      [400, null],
      [200, null],
    ]);
  });
});
