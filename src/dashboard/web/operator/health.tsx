import { Badge, Paper, Text } from '@mantine/core';
import type { OverviewInfo } from '../../shared/operator.ts';
import { Section } from './account-section.tsx';

/** Titles of checks whose names do not say what is well. */
const TITLES: Readonly<Record<string, string>> = {
  lost_data: 'No data lost',
  write_kinds: 'Writes of each kind',
  descriptors: 'File descriptors',
};

/** The checks of the process that replied, each with its state in words and colour. */
export function Health({ overview: { checks } }: { readonly overview: OverviewInfo }) {
  return (
    <Section title="Health">
      <Paper component="ul" withBorder className="entries" aria-label="Checks">
        {checks.map(({ name, problem }) => (
          <li key={name} className="entry health">
            <Badge variant="light" color={problem === null ? 'accent' : 'red'} miw={84}>
              {problem === null ? 'OK' : 'Problem'}
            </Badge>
            <div>
              <Text size="sm">{titleOf(name)}</Text>
              {problem !== null && (
                <Text size="sm" className="entry-title" c="var(--mantine-color-error)">
                  {problem}
                </Text>
              )}
            </div>
          </li>
        ))}
      </Paper>
    </Section>
  );
}

/** The name of a check as a title: `data_folder` is "Data folder". */
function titleOf(name: string): string {
  const title = TITLES[name];
  if (title !== undefined) return title;
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
