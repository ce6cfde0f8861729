import {
  KEPT_PER_ACCOUNT,
  type LoggedRequest,
  type RequestFilter,
} from '../../src/core/requests/request-log.ts';
import { SECOND } from '../../src/lib/clock.ts';
import { ManualClock, type ServiceOptions, TestService } from './harness.ts';

/** A service with all parts that have accounts, on a manual clock. */
export async function requestLogScene(options: ServiceOptions = {}) {
  const clock = new ManualClock();
  const parts = ['production', 'staging', 'quickstart'] as const;
  const service = await TestService.start({ clock, parts, ...options });
  return { clock, service, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

type RequestLogScene = Awaited<ReturnType<typeof requestLogScene>>;

/** The latest requests in the log of an account, newest first, after those in memory have been saved. */
export async function savedRequests(
  { clock, service }: RequestLogScene,
  accountId: string,
  filter: RequestFilter = {},
): Promise<LoggedRequest[]> {
  clock.advance(SECOND);
  await service.runJobs('save the request log');
  return service.stores.requestLog.page(accountId, filter, KEPT_PER_ACCOUNT);
}
