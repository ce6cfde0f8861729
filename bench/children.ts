import type { Subprocess } from 'bun';

const running = new Set<Subprocess>();

/** Tracks a process that this program started until it ends. */
export function tracked<Child extends Subprocess>(child: Child): Child {
  running.add(child);
  void child.exited.then(() => running.delete(child));
  return child;
}

/** Kills all processes that still run. */
export function killChildren(): void {
  for (const child of running) child.kill('SIGKILL');
}
