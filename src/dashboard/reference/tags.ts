import type { Contract, PublishedOperation } from '../../api/operations.ts';

interface Tag {
  readonly tag: string;
  readonly description: string;
  readonly operations: readonly PublishedOperation[];
}

/** The resources that are served, by the names that readers see, with their operations. */
export function tagsOf({ resources, operations }: Contract): readonly Tag[] {
  const { production, quickstart, sandbox } = resources;
  return [...production, ...quickstart, ...sandbox].map(({ tag, description }) => ({
    tag,
    description,
    operations: operations.filter((operation) => operation.tag === tag),
  }));
}
