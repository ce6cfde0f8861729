import { Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Environment } from '../../../core/environments.ts';
import type { PetInfo } from '../../shared/pets.ts';
import { useSession } from '../api.ts';
import { useSuspension } from '../common/suspension.tsx';

export interface PetProps {
  readonly environment: Environment;
  readonly pet: PetInfo;
}

export interface OpenedPetProps extends PetProps {
  onClose(): void;
}

/** Tells which operations the API serves. */
export function useServed(): (operation: string) => boolean {
  const operations = useSession().data?.operations ?? [];
  return (operation) => operations.includes(operation);
}

export function Section({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Title order={3} size="h5">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

/** Why the reader cannot change an animal, as a sentence; `undefined` if they can. */
export function useRefusal({ owner }: PetInfo): string | undefined {
  const suspension = useSuspension();
  if (suspension !== undefined) return suspension;
  if (owner !== 'another') return undefined;
  return 'It belongs to another account, which alone may change or delete it.';
}
