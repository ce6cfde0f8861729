import { NO_USAGE, type UsageRecord } from '../../src/core/requests/usage.ts';

/** The requests of a key to an operation in an hour, as the recorder adds them; omitted fields are 0. */
export function usageRecord(
  fields: Pick<UsageRecord, 'accountId' | 'hour'> & Partial<UsageRecord>,
): UsageRecord {
  return {
    environment: 'production',
    keyId: 'key_1',
    operation: 'listPets',
    ...{ ...NO_USAGE, invalid: 0, unauthorized: 0, notFound: 0, conflicts: 0, durations: [] },
    ...fields,
  };
}
