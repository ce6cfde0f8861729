import { basename } from 'node:path';
import { type Static, Type } from 'typebox';

/** The part of a `bun --cpu-prof` profile that is read here. */
export const Profile = Type.Object({
  nodes: Type.Array(
    Type.Object({
      id: Type.Number(),
      callFrame: Type.Object({
        functionName: Type.String(),
        url: Type.String(),
        lineNumber: Type.Number(),
      }),
      children: Type.Optional(Type.Array(Type.Number())),
    }),
  ),
  samples: Type.Array(Type.Number()),
  /** Microseconds. */
  timeDeltas: Type.Array(Type.Number()),
});
export type Profile = Static<typeof Profile>;

/** Microseconds by node. */
export function timesOf({ samples, timeDeltas }: Profile): Map<number, number> {
  const times = new Map<number, number>();
  for (const [index, id] of samples.entries()) {
    times.set(id, (times.get(id) ?? 0) + (timeDeltas[index] ?? 0));
  }
  return times;
}

/** The name, file and line of a function, without the path of the file. */
export function frameName({
  functionName,
  url,
  lineNumber,
}: Profile['nodes'][number]['callFrame']): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  return url === '' ? name : `${name} ${basename(url)}:${lineNumber + 1}`;
}

/**
 * A profile as folded stacks, the input of flame graph viewers: one line for each stack, with its
 * frames separated by semicolons, then its microseconds.
 */
export function foldedStacks(profile: Profile): string {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const stacks = new Map<string, number>();
  for (const [id, time] of timesOf(profile)) {
    const frames: string[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const node = nodes.get(at);
      if (node) frames.unshift(frameName(node.callFrame));
    }
    const stack = frames.join(';');
    stacks.set(stack, (stacks.get(stack) ?? 0) + time);
  }
  const lines = [...stacks].map(([stack, time]) => `${stack} ${Math.round(time)}`);
  return `${lines.sort().join('\n')}\n`;
}
