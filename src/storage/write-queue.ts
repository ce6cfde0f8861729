/** The maximum number of changes that wait for one database; further changes are refused with 503. */
export const QUEUE_CAPACITY = 10_000;

/** The maximum number of changes in one transaction, so that none waits long for the others. */
export const BATCH_SIZE = 1_000;
