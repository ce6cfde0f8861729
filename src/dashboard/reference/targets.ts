import type { PublishedOperation } from '../../api/operations.ts';
import type { Addresses } from '../pages/reference-sections.ts';

/** An address that a form can send to, and the environment of its keys. */
export interface Target {
  readonly title: string;
  readonly baseUrl: string;
  /** `undefined` if keys of both environments are accepted. */
  readonly environment?: 'production' | 'staging';
}

/** The addresses of an operation. Staging comes first, since requests there do not affect production. */
export function targetsOf(
  { tag }: PublishedOperation,
  addresses: Addresses,
): readonly [Target, ...Target[]] {
  const { production, staging, quickstart, sandbox } = addresses;
  if (tag === 'Quickstart') return [{ title: 'Quickstart', baseUrl: quickstart }];
  if (tag === 'Sandbox') return [{ title: 'Sandbox', baseUrl: sandbox, environment: 'staging' }];
  return [
    { title: 'Staging', baseUrl: staging, environment: 'staging' },
    { title: 'Production', baseUrl: production, environment: 'production' },
  ];
}
