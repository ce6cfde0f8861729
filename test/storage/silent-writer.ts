import { existsSync, rmSync } from 'node:fs';
import {
  type Posted,
  unpack,
  type WriterReply,
  type WriterRequest,
} from '../../src/storage/sqlite/writer-protocol.ts';
import '../../src/storage/sqlite/writer-thread.ts';

/** A writer thread that ends after it has committed usage, and before it replies, if a file requests this. */
declare const self: Worker;

/** The file that requests it, next to a database at this path. */
const requestOf = (path: string) => `${path}.end`;

let savesUsage = false;

const { onmessage } = self;
const post = self.postMessage.bind(self);
self.onmessage = (event: MessageEvent<Posted<WriterRequest>>) => {
  const request = unpack(event.data);
  savesUsage =
    request.kind === 'commit' && request.writes.some(({ name }) => name === 'runForRows');
  onmessage?.call(self, event);
};
self.postMessage = (message: Posted<WriterReply>) => {
  const reply = unpack(message);
  const isRequested = savesUsage && reply.kind === 'committed' && existsSync(requestOf(reply.path));
  if (!isRequested) return post(message);
  rmSync(requestOf(reply.path));
  process.exit(3);
};
