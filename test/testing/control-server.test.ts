import { expect, test } from 'bun:test';
import { OperatorError } from '../../src/core/errors.ts';
import { clockFrom } from '../../src/throwaway/adjustable-clock.ts';
import { openControl } from '../../src/throwaway/control-server.ts';
import { RecordedRequests } from '../../src/throwaway/recorded-requests.ts';

/** The reply of a control server to a request that fails with this error. */
async function replyTo(error: Error): Promise<unknown> {
  const clock = clockFrom(undefined);
  const fail = () => Promise.reject(error);
  const requests = new RecordedRequests(clock);
  using control = openControl({ clock, requests, addAccount: fail, reset: fail });
  const headers = { authorization: `Bearer ${control.token}` };
  const reply = await fetch(`${control.url}/reset`, { method: 'POST', headers });
  expect(await reply.clone().json()).toMatchObject({ status: reply.status });
  return reply.json();
}

test('a failure of the service is not blamed on the request, and is explained', async () => {
  expect(await replyTo(new Error('The disk is full.'))).toEqual({
    code: 'internal_error',
    message: 'The disk is full.',
    status: 500,
  });
});

test('a request that cannot be fulfilled gets the reason', async () => {
  expect(await replyTo(new OperatorError('a@example.com has an account already.'))).toEqual({
    code: 'invalid_body',
    message: 'a@example.com has an account already.',
    status: 400,
  });
});
