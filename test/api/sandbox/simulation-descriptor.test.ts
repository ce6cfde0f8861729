import { expect, test } from 'bun:test';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { descriptorOf, writeReply } from '../../../src/http/simulation/descriptor.ts';
import { temporaryFolder } from '../../support/harness.ts';
import { acceptedConnection } from './accepted-connection.ts';
import { LOOK_UPS } from './used-up-descriptors.ts';

test.skipIf(process.platform !== 'linux')(
  'a reply is written to the connection, and to nothing that has its number after it',
  async () => {
    using folder = temporaryFolder();
    const connection = await acceptedConnection();
    const descriptor = await descriptorOf(connection.ends);
    if (!descriptor) throw new Error('no descriptor');
    const arrived = Promise.withResolvers<string>();
    connection.client.once('data', (bytes) => arrived.resolve(String(bytes)));
    const half = Buffer.from('half');
    expect(writeReply(descriptor, new Response(), 8, half)).toBe(true);
    expect(await arrived.promise).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[\s\S]*content-length: 8\r\n\r\nhalf$/,
    );

    connection.close();
    const opened: number[] = [];
    do opened.push(openSync(join(folder.path, `${opened.length}`), 'w'));
    while (opened.at(-1) !== descriptor.number && opened.length < 200);
    expect(opened.at(-1)).toBe(descriptor.number);
    expect(writeReply(descriptor, new Response(), 8, half)).toBe(false);
    for (const each of opened) closeSync(each);
    expect(readFileSync(join(folder.path, `${opened.length - 1}`), 'utf8')).toBe('');
  },
);

test.skipIf(process.platform !== 'linux')(
  'while descriptors are used up, none is found, and no look-up fails',
  async () => {
    const program = Bun.fileURLToPath(new URL('./used-up-descriptors.ts', import.meta.url));
    const limited = ['bash', '-c', 'ulimit -n 100; exec "$@"', 'bash'];
    const child = Bun.spawn([...limited, process.execPath, program], { stderr: 'pipe' });
    const read = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
    expect(await Promise.all(read)).toEqual([`0 of ${LOOK_UPS} look-ups failed\n`, '']);
  },
);
