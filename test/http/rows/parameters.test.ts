import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { TestService } from '../../support/harness.ts';
import { refusalOf } from '../../support/problem.ts';
import { WITH_SHELTERS } from './shelters.ts';

let service: TestService;
let key = '';

beforeAll(async () => {
  service = await TestService.start({ resources: WITH_SHELTERS });
  key = (await service.account()).secret;
});
afterAll(() => service[Symbol.asyncDispose]());

const get = (path: string) => service.request(path, { key });

describe('the parameters of a row', () => {
  test.each([
    ['/shelters/7', ['7', '4', 'undefined']],
    ['/shelters/%37?size=9&status=sold', ['7', '9', 'sold']],
    ['/shelters/-9223372036854775808?other=1&size=1', ['-9223372036854775808', '1', 'undefined']],
    ['/shelters/9007199254740993?status=%73old', ['9007199254740993', '4', 'sold']],
  ])('of %s reach the handler as values', async (path, values) => {
    expect(await (await get(path)).json()).toEqual(values);
  });

  test.each([
    ['/shelters/7?size=0', 'The parameter "size" must be a whole number from 1 to 9.'],
    ['/shelters/7?size=', 'The parameter "size" must be a whole number from 1 to 9.'],
    ['/shelters/7?size=1.5', 'The parameter "size" must be a whole number from 1 to 9.'],
    ['/shelters/7?status=lost', 'The parameter "status" must be one of available, pending, sold.'],
    ['/shelters/7?size=1&size=1', 'The parameter "size" is given twice. Give it once.'],
    ['/shelters/7?status=lost&size=0', 'The parameter "size" must be a whole number from 1 to 9.'],
    // A 404 comes after every 400.
    ['/shelters/Rex?size=0', 'The parameter "size" must be a whole number from 1 to 9.'],
  ])('are refused in the order of the row: %s', async (path, message) => {
    const refusal = await refusalOf(await get(path));
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_parameter', message });
  });

  test.each(['Rex', '9223372036854775808', '1.0', '%zz', '01'])(
    'with an id that is no int64, such as %s, get the error of the row',
    async (id) => {
      const refusal = await refusalOf(await get(`/shelters/${id}`));
      expect(refusal).toMatchObject({ status: 404, code: 'not_found' });
    },
  );

  test('may be headers', async () => {
    const headers = { 'Idempotency-Key': 'a b' };
    const reply = await service.request('/shelters/7', { key, method: 'DELETE', headers });
    expect(await refusalOf(reply)).toMatchObject({ status: 400, code: 'invalid_parameter' });
  });
});

describe('Retry-After', () => {
  test.each([
    ['busy', 'idempotency_conflict', '1'],
    ['full', 'shelter_full', null],
  ])('of a 409 depends on its code: %s', async (value, code, expected) => {
    const headers = { 'Idempotency-Key': value };
    const reply = await service.request('/shelters/7', { key, method: 'DELETE', headers });
    expect(reply.headers.get('Retry-After')).toBe(expected);
    expect(await reply.json()).toMatchObject({ status: 409, code });
  });
});
