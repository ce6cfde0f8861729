import { Divider, NavLink, Stack, Text } from '@mantine/core';
import {
  IconActivity,
  IconBan,
  IconBook,
  IconChartBar,
  IconClipboardList,
  IconFlask,
  IconKey,
  IconListSearch,
  IconLogout,
  IconMail,
  IconPlayerPlay,
  IconStack2,
  IconUser,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import type { AccountInfo } from '../shared/api.ts';
import { pageTitle } from '../shared/page-titles.ts';
import { useAction } from './api.ts';
import { Failure } from './common/states.tsx';
import { basePath } from './page-settings.ts';
import { signOut, useSignedInOrOut } from './sign-in/authentication.ts';

interface NavigationProps {
  readonly account: AccountInfo;
  readonly onNavigate?: () => void;
}

const PAGES = [
  ['/', IconPlayerPlay],
  ['/keys', IconKey],
  ['/requests', IconListSearch],
  ['/usage', IconChartBar],
  ['/messages', IconMail],
  ['/sandbox', IconFlask],
  ['/plan', IconStack2],
] as const;

const OPERATOR_PAGES = [
  ['/operator', IconUsers],
  ['/operator/overview', IconActivity],
  ['/operator/bans', IconBan],
  ['/operator/audit', IconClipboardList],
] as const;

const OWN_PAGES = [['/account', IconUser]] as const;

/** Links to all pages of a signed-in user. */
export function Navigation({ account, onNavigate }: NavigationProps) {
  return (
    <nav aria-label="Pages">
      <Stack gap={2}>
        <Links pages={PAGES} {...(onNavigate && { onNavigate })} />
        <NavLink
          component="a"
          href={`${basePath}/docs`}
          label="API reference"
          leftSection={<IconBook size={18} aria-hidden />}
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
  readonly pages: readonly (readonly [string, TablerIcon])[];
  readonly onNavigate?: () => void;
}

function Links({ pages, onNavigate }: LinksProps) {
  const [location] = useLocation();
  return pages.map(([path, Icon]) => (
    <NavLink
      key={path}
      component={Link}
      href={path}
      label={pageTitle(path)}
      leftSection={<Icon size={18} aria-hidden />}
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
        leftSection={<IconLogout size={18} aria-hidden />}
        disabled={leave.isPending}
        onClick={() => leave.mutate()}
      />
      {leave.error && <Failure error={leave.error} />}
    </>
  );
}
