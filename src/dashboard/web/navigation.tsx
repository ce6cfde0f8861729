import { Divider, NavLink, Stack, Text } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import type { AccountInfo } from '../shared/api.ts';
import { useAction } from './api.ts';
import {
  IconAccount,
  IconAccounts,
  IconAudit,
  IconBan,
  IconKey,
  IconMessages,
  IconPlan,
  IconReference,
  IconSignOut,
  IconStart,
  IconUsage,
} from './common/icons.tsx';
import { Failure } from './common/states.tsx';
import { basePath } from './page-settings.ts';
import { signOut, useSignedInOrOut } from './sign-in/authentication.ts';

interface NavigationProps {
  readonly account: AccountInfo;
  readonly onNavigate?: () => void;
}

const PAGES = [
  ['/', 'Start', IconStart],
  ['/keys', 'Keys', IconKey],
  ['/usage', 'Usage', IconUsage],
  ['/messages', 'Messages', IconMessages],
  ['/plan', 'Plan', IconPlan],
] as const;

const OPERATOR_PAGES = [
  ['/operator', 'Accounts', IconAccounts],
  ['/operator/bans', 'Bans', IconBan],
  ['/operator/audit', 'Audit log', IconAudit],
] as const;

const OWN_PAGES = [['/account', 'Account', IconAccount]] as const;

/** What the page at a path is called, where the navigation leads there. */
export function titleOf(path: string): string | undefined {
  return [...PAGES, ...OPERATOR_PAGES, ...OWN_PAGES].find(([place]) => place === path)?.[1];
}

/** Where a signed-in person can go. */
export function Navigation({ account, onNavigate }: NavigationProps) {
  return (
    <nav aria-label="Pages">
      <Stack gap={2}>
        <Links pages={PAGES} {...(onNavigate && { onNavigate })} />
        <NavLink
          component="a"
          href={`${basePath}/docs`}
          label="API reference"
          leftSection={<IconReference />}
        />
        {account.role === 'operator' && (
          <>
            <Divider my="sm" label="Operator" labelPosition="left" />
            <Links pages={OPERATOR_PAGES} {...(onNavigate && { onNavigate })} />
          </>
        )}
        <Divider my="sm" />
        <Links pages={OWN_PAGES} {...(onNavigate && { onNavigate })} />
        <Text size="xs" c="dimmed" px="sm" pt={4} truncate title={account.email}>
          {account.email}
        </Text>
        <SignOut />
      </Stack>
    </nav>
  );
}

interface LinksProps {
  readonly pages: readonly (readonly [string, string, typeof IconStart])[];
  readonly onNavigate?: () => void;
}

function Links({ pages, onNavigate }: LinksProps) {
  const [location] = useLocation();
  return pages.map(([path, label, Icon]) => (
    <NavLink
      key={path}
      component={Link}
      href={path}
      label={label}
      leftSection={<Icon />}
      active={location === path}
      aria-current={location === path ? 'page' : undefined}
      {...(onNavigate && { onClick: onNavigate })}
    />
  ));
}

function SignOut() {
  const changed = useSignedInOrOut();
  const leave = useAction({ mutationFn: signOut, onSuccess: () => changed('/') });
  return (
    <>
      <NavLink
        component="button"
        type="button"
        label="Sign out"
        leftSection={<IconSignOut />}
        disabled={leave.isPending}
        onClick={() => leave.mutate()}
      />
      {leave.error && <Failure error={leave.error} />}
    </>
  );
}
