import { readFileSync } from 'node:fs';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * The number of transactions in a database's write-ahead log: the last frame of each contains the size of
 * the database after it (https://sqlite.org/fileformat2.html, 4.1).
 */
export function countCommits(database: string): number {
  const log = readFileSync(`${database}-wal`);
  if (log.length < HEADER_BYTES) return 0;
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8);
  const salt = log.readBigUInt64BE(16);
  let commits = 0;
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    // Frames with another salt are left from before the log was restarted.
    if (log.readBigUInt64BE(at + 8) !== salt) break;
    if (log.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}
