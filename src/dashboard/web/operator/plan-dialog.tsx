import { Button, Group, Modal, NumberInput, Radio, Stack } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { isPlan, PLAN_NAMES, PLANS, type Plan } from '../../../core/plans.ts';
import type { AccountInfo, PlanChange } from '../../shared/api.ts';
import { call, SESSION, useAction } from '../api.ts';
import { ActionButton } from '../common/action-button.tsx';
import { Failure } from '../common/states.tsx';
import { useRecentSignIn } from '../sign-in/sign-in-again.tsx';

interface PlanDialogProps {
  /** `undefined` until one is chosen. */
  readonly account: AccountInfo | undefined;
  readonly isOpen: boolean;
  close(): void;
}

/** The values of the form; an empty number is ''. */
interface Fields {
  plan: Plan;
  perMinute: number | string;
  perDay: number | string;
}

/** Changes the plan of one account, with its limits when it is Enterprise. */
export function PlanDialog({ account, isOpen, close }: PlanDialogProps) {
  const change = usePlanChange(close);
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      // While the sign-in dialog is open, Escape closes that one.
      closeOnEscape={!change.isPending}
      onExitTransitionEnd={change.reset}
      title={`Plan of ${account?.email}`}
      closeButtonProps={CLOSE}
      centered
    >
      {account && <PlanForm account={account} change={change} close={close} />}
    </Modal>
  );
}

interface PlanFormProps {
  readonly account: AccountInfo;
  readonly change: ReturnType<typeof usePlanChange>;
  close(): void;
}

function PlanForm({ account, change, close }: PlanFormProps) {
  const form = usePlanForm(account);
  const { plan } = form.values;
  const submit = (fields: Fields) => change.mutate({ account, change: changeOf(fields) });
  return (
    <form noValidate onSubmit={form.onSubmit(submit)}>
      <Stack gap="lg">
        <Radio.Group
          label="Plan"
          value={plan}
          onChange={(name) => isPlan(name) && form.setFieldValue('plan', name)}
        >
          <Stack gap="sm" mt="xs">
            {PLAN_NAMES.map((name) => (
              <Radio
                key={name}
                value={name}
                label={PLANS[name].title}
                description={numbersOf(name)}
              />
            ))}
          </Stack>
        </Radio.Group>
        {plan === 'enterprise' && <OwnNumbers form={form} />}
        {change.error && <Failure error={change.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <ActionButton type="submit" isBusy={change.isPending}>
            Change plan
          </ActionButton>
        </Group>
      </Stack>
    </form>
  );
}

const CLOSE = { 'aria-label': 'Close' };

function OwnNumbers({ form }: { readonly form: UseFormReturnType<Fields> }) {
  const shared = { allowDecimal: false, allowNegative: false, thousandSeparator: ',', min: 1 };
  return (
    <Group grow align="flex-start">
      <NumberInput {...shared} label="Requests a minute" {...form.getInputProps('perMinute')} />
      <NumberInput {...shared} label="Requests a day" {...form.getInputProps('perDay')} />
    </Group>
  );
}

function usePlanForm({ plan, limits }: AccountInfo) {
  return useForm<Fields>({
    initialValues: { plan, perMinute: limits.perMinute, perDay: limits.perDay },
    validate: { perMinute: problemWith, perDay: problemWith },
  });
}

function problemWith(value: number | string, { plan }: Fields): string | null {
  if (plan !== 'enterprise' || isCount(value)) return null;
  return 'Enter a whole number of at least 1.';
}

function isCount(value: number | string): boolean {
  return value !== '' && Number.isSafeInteger(Number(value)) && Number(value) >= 1;
}

function changeOf({ plan, perMinute, perDay }: Fields): PlanChange {
  if (plan !== 'enterprise') return { plan };
  return { plan, perMinute: Number(perMinute), perDay: Number(perDay) };
}

interface ChosenPlan {
  readonly account: AccountInfo;
  readonly change: PlanChange;
}

function usePlanChange(close: () => void) {
  const queries = useQueryClient();
  const withRecentSignIn = useRecentSignIn();
  return useAction({
    mutationFn: ({ account, change }: ChosenPlan) => {
      const path = `/operator/accounts/${encodeURIComponent(account.id)}/plan`;
      return withRecentSignIn(() => call<AccountInfo>('PUT', path, change));
    },
    async onSuccess({ plan }, { account: { email } }) {
      close();
      notifications.show({ message: `${email} is on ${PLANS[plan].title} now.` });
      await queries.invalidateQueries({ queryKey: ['operator'] });
      // The account may be the operator's own.
      await queries.invalidateQueries({ queryKey: SESSION });
    },
  });
}

function numbersOf(plan: Plan): string {
  const { limits } = PLANS[plan];
  if (!limits) return 'Numbers of its own';
  return `${limits.perMinute.toLocaleString()} a minute, ${limits.perDay.toLocaleString()} a day`;
}
