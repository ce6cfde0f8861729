import {
  type Posted,
  unpack,
  type WriterRequest,
} from '../../src/storage/sqlite/writer-protocol.ts';
import '../../src/storage/sqlite/writer-thread.ts';
import { connect } from '../../src/storage/sqlite/database.ts';

/** A writer thread that dies during a transaction, when a pet's name requests this. */
declare const self: Worker;

const WAYS: Readonly<Record<string, () => void>> = {
  throw: () => {
    throw new Error('no more');
  },
  exit: () => process.exit(3),
};

const { onmessage } = self;
self.onmessage = (event: MessageEvent<Posted<WriterRequest>>) => {
  const data = unpack(event.data);
  for (const { name, input } of data.kind === 'commit' ? data.writes : []) {
    const die = name === 'addPet' ? WAYS[input[0]] : undefined;
    if (!die || data.kind !== 'commit') continue;
    const database = connect(data.path);
    database.run('BEGIN IMMEDIATE');
    database.run("INSERT INTO pets (name, category_id, status) VALUES ('half', 1, 'sold')");
    die();
  }
  onmessage?.call(self, event);
};
