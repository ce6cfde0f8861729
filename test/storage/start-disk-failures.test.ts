import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { temporaryFolder } from '../support/harness.ts';
import { cleanEnvironment, PROGRAM, runCommand } from '../support/process.ts';
import { canPreload, FaultyDisk } from './disk/faulty-disk.ts';
import { expectToWork, LOSES_DATA, type StartScene, usedFolders } from './start-scene.ts';

const mayMount =
  Bun.spawnSync(['unshare', '--map-root-user', '--mount', 'true'], { stderr: 'ignore' })
    .exitCode === 0;

const CREATE = ['accounts', 'create', 'b@example.com'];

let scene: StartScene;
beforeAll(async () => {
  scene = await usedFolders();
});
afterAll(() => scene[Symbol.dispose]());

describe.skipIf(!canPreload)('an input/output error (needs Linux and cc) is named', () => {
  for (const [fault, words] of [
    ['read fail 5 accounts.db', 'input/output error'],
    ['read fail 5 production.db', 'input/output error'],
    ['any fail 5 accounts.db-wal', 'input/output error'],
    ['any fail 28 accounts.db-wal', 'The disk is full.'],
    ['any fail 122 accounts.db-wal', 'the quota'],
  ] as const) {
    test(`as ${fault}`, async () => {
      using files = temporaryFolder();
      const folder = scene.copy();
      const disk = await FaultyDisk.compile(files.path);
      const args = fault.includes('production') ? ['seed', '--pets', '1'] : CREATE;
      disk.set(fault);
      const { code, stderr } = await runCommand(args, disk.settings(folder));
      expect({ code, stderr }).toMatchObject({ code: expect.any(Number) });
      expect(code).not.toBe(0);
      expect(stderr).toContain(words);
      expect(stderr).not.toMatch(LOSES_DATA);
      disk.repair();
      await expectToWork(folder);
    });
  }
});

describe.skipIf(!mayMount)('a disk of its own (needs unshare) is named when it is', () => {
  for (const [how, fault, repair, words] of [
    ['full', 'dd if=/dev/zero of=ballast bs=4k 2>/dev/null', 'rm ballast', 'The disk is full.'],
    ['read-only', 'mount -o remount,ro .', 'mount -o remount,rw .', 'is mounted read-only'],
    [
      'out of inodes',
      'i=0; while : > empty-$i; do i=$((i + 1)); done 2>/dev/null',
      'rm empty-*',
      'df -i for inodes',
    ],
  ] as const) {
    test(how, async () => {
      const folder = scene.copy();
      const script = `
        mkdir "$0/disk" && mount -t tmpfs -o size=3m,nr_inodes=40 none "$0/disk" || exit 9
        cp -a "$0"/*.* "$0/secret" "$0/disk"
        cd "$0/disk"
        ${fault}
        PETSTORE_DATA_DIR="$0/disk" "$@" accounts list && exit 8
        PETSTORE_DATA_DIR="$0/disk" "$@" store rotate-secret && exit 6
        PETSTORE_DATA_DIR="$0/disk" PETSTORE_PORT=0 "$@" serve && exit 7
        ${repair}
        PETSTORE_DATA_DIR="$0/disk" "$@" accounts list
      `;
      const child = Bun.spawn(
        ['unshare', '--map-root-user', '--mount', 'bash', '-c', script, folder, ...PROGRAM],
        { env: cleanEnvironment({}), stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
      );
      const [stdout, stderr, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ]);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(stdout).toContain('production@example.com');
      expect(stderr.split(words)).toHaveLength(4);
      expect(stderr).not.toMatch(LOSES_DATA);
    });
  }
});
