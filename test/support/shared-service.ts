import { afterAll, beforeAll } from 'bun:test';
import { TestService } from './harness.ts';

/**
 * One service for tests of a file that do not affect each other; each makes its own account. Called at the
 * top of the file.
 */
export function sharedService(
  start: () => Promise<TestService> = () => TestService.start(),
): () => TestService {
  let service: TestService | undefined;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service?.[Symbol.asyncDispose]());
  return () => {
    if (!service) throw new Error('The service starts with the first test of the file.');
    return service;
  };
}
