import { describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { isOfOneNode, isUnavailable, wasRolledBack } from '../../src/storage/postgres/failures.ts';

const ON_A_NODE = 'while executing command on 127.0.0.1:21501';

/** An error as the driver raises it; without a context, it is from the server that replied. */
function failure(errno: string, message: string, where?: string): SQL.PostgresError {
  const context = where === undefined ? {} : { where };
  return new SQL.PostgresError(message, { code: 'ERR_POSTGRES_SERVER_ERROR', errno, ...context });
}

describe('an error of a sharded database', () => {
  test.each([
    'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
    'could not receive data from server: Connection reset by peer',
    'could not send data to server: Broken pipe',
    'connection not open',
    'no connection to the server',
    'SSL connection has been closed unexpectedly',
    'SSL SYSCALL error: EOF detected',
  ])('is temporary and of one node if a connection to the node broke: %s', (message) => {
    const error = failure('XX000', message, ON_A_NODE);
    expect(isUnavailable(error)).toBe(true);
    expect(isOfOneNode(error)).toBe(true);
  });

  test('is temporary and of one node if no connection to the node can be opened', () => {
    const error = failure('08006', 'connection to the remote node 127.0.0.1:21501 failed');
    expect(isUnavailable(error)).toBe(true);
    expect(isOfOneNode(error)).toBe(true);
  });

  test('is not temporary if the statement failed at the node', () => {
    const error = failure('23514', 'new row violates check constraint', ON_A_NODE);
    expect(isUnavailable(error)).toBe(false);
    expect(isOfOneNode(error)).toBe(true);
  });

  test('is not temporary if it is an internal error', () => {
    const message = 'could not open relation with OID 16384';
    expect(isUnavailable(failure('XX000', message, ON_A_NODE))).toBe(false);
    expect(isUnavailable(failure('XX000', 'server closed the connection unexpectedly'))).toBe(
      false,
    );
    expect(isOfOneNode(failure('XX000', message))).toBe(false);
  });
});

describe('a change that failed', () => {
  const lostNode = failure('08006', 'connection to the remote node 127.0.0.1:21501 failed');

  test('was rolled back if the server says so', () => {
    expect(wasRolledBack(failure('55P03', 'could not obtain lock'), true)).toBe(true);
    expect(wasRolledBack(failure('53100', 'could not extend file: No space left'), true)).toBe(
      true,
    );
    expect(wasRolledBack(lostNode, false)).toBe(true);
  });

  test('may have been committed if a node failed outside of a transaction or at its end', () => {
    expect(wasRolledBack(lostNode, true)).toBe(false);
    expect(wasRolledBack(failure('XX000', 'server closed the connection', ON_A_NODE), true)).toBe(
      false,
    );
  });

  test.each([true, false])(
    'may be repeated neither after a timeout nor without a reply',
    (open) => {
      expect(wasRolledBack(failure('57014', 'canceling statement due to timeout'), open)).toBe(
        false,
      );
      const lost = new SQL.PostgresError('closed', { code: 'ERR_POSTGRES_CONNECTION_CLOSED' });
      expect(wasRolledBack(lost, open)).toBe(false);
    },
  );
});
