/**
 * Ids of pets in one bucket: consecutive ones, which lie on one node of a sharded database, so that a page
 * asks one node, or two at a border. The schema of PostgreSQL has this number: it never changes.
 */
export const BUCKET_SIZE = 65_536;

/** The bucket that a pet's id belongs to. */
export function bucketOf(id: number): number {
  return Math.floor(id / BUCKET_SIZE);
}

/** The highest id in a bucket. */
export function lastIdOf(bucket: number): number {
  return (bucket + 1) * BUCKET_SIZE - 1;
}
