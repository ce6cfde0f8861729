/**
 * The number of consecutive pet ids in one bucket. A bucket is on one node of a sharded database, so that a page reads
 * from one node, or from two at a boundary. The PostgreSQL schema contains this number: it must never change.
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
