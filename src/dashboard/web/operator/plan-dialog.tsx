import { Alert, Group, Modal, Radio, Stack } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isPlan, PLAN_NAMES, PLANS, type Plan } from '../../../core/limits/plans.ts';
import type { AccountInfo, PlanChange } from '../../shared/api.ts';
import { call, SESSION, useAction } from '../api.ts';
import { useAfterMount } from '../common/after-mount.ts';
import { countOf, countProblem } from '../common/count.ts';
import { DialogEnd } from '../common/dialog-end.tsx';
import { useDraft } from '../common/draft.ts';
import { countText, limitsText } from '../common/format.ts';
import { NumberField } from '../common/number-field.tsx';
import { focusMistake } from '../sign-in/fields.tsx';
import { useRecentSignIn } from '../sign-in/sign-in-again.tsx';

interface PlanDialogProps {
  readonly account: AccountInfo;
  readonly isOpen: boolean;
  close(): void;
}

/** The values of the form; numbers as they were entered. */
type Fields = Record<'perMinute' | 'perDay', string> & { plan: Plan };

const LIMIT = { min: 1 };

/** Changes the plan of one account, with its limits when it is Enterprise. */
export function PlanDialog({ account, isOpen, close }: PlanDialogProps) {
  const change = usePlanChange(close);
  return (
    <Modal
      opened={useAfterMount(isOpen)}
      onClose={close}
      // While the sign-in dialog is open, Escape closes that one.
      closeOnEscape={!change.isPending}
      title={`Plan of ${account.email}`}
      centered
    >
      <PlanForm account={account} change={change} close={close} />
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
  // The probably mistaken change for which the dialog has asked for confirmation.
  const [asked, ask] = useState<PlanChange>();
  const submit = (fields: Fields) => {
    const wanted = changeOf(fields);
    if (isDayBelowMinute(wanted) && !isSame(wanted, asked)) ask(wanted);
    else change.mutate({ account, change: wanted });
  };
  const isAsking = asked && form.isValid() && isSame(changeOf(form.values), asked);
  return (
    <form noValidate onSubmit={form.onSubmit(submit, focusMistake(form))}>
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
        {isAsking && <DayBelowMinute change={asked} />}
        <DialogEnd
          error={change.error}
          isBusy={change.isPending}
          submit={isAsking ? 'Change it anyway' : 'Change plan'}
          onCancel={close}
        />
      </Stack>
    </form>
  );
}

function OwnNumbers({ form }: { readonly form: UseFormReturnType<Fields> }) {
  return (
    <Group grow align="flex-start">
      <NumberField label="Requests a minute" {...form.getInputProps('perMinute')} />
      <NumberField label="Requests a day" {...form.getInputProps('perDay')} />
    </Group>
  );
}

/** Asks for confirmation of a limit that is most likely a mistake. */
function DayBelowMinute({ change: { perMinute = 0, perDay = 0 } }: { change: PlanChange }) {
  return (
    <Alert color="yellow" variant="light" role="alert" title="Fewer a day than a minute?">
      {`With ${countText(perDay)} requests a day, the ${countText(perMinute)} a minute can never be used.`}
    </Alert>
  );
}

function isDayBelowMinute({ perMinute = 0, perDay = 0 }: PlanChange): boolean {
  return perDay < perMinute;
}

function isSame(a: PlanChange, b: PlanChange | undefined): boolean {
  return a.plan === b?.plan && a.perMinute === b.perMinute && a.perDay === b.perDay;
}

function usePlanForm({ id, plan, limits }: AccountInfo) {
  // The limits of another plan must not become those of an enterprise by mistake.
  const own = plan === 'enterprise' ? limits : undefined;
  const { initial, save } = useDraft<Record<keyof Fields, string>>(`plan ${id}`, {
    plan,
    perMinute: own ? countText(own.perMinute) : '',
    perDay: own ? countText(own.perDay) : '',
  });
  return useForm<Fields>({
    initialValues: { ...initial, plan: isPlan(initial.plan) ? initial.plan : plan },
    onValuesChange: save,
    validate: { perMinute: problemWith, perDay: problemWith },
  });
}

function problemWith(value: string, { plan }: Fields): string | null {
  return plan === 'enterprise' ? countProblem(value, LIMIT) : null;
}

function changeOf({ plan, perMinute, perDay }: Fields): PlanChange {
  if (plan !== 'enterprise') return { plan };
  return { plan, perMinute: countOf(perMinute, LIMIT), perDay: countOf(perDay, LIMIT) };
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
      // First, so that the dialog shows the new plan if it is opened again at once.
      await queries.invalidateQueries({ queryKey: ['operator'] });
      close();
      notifications.show({ message: `${email} is on ${PLANS[plan].title} now.` });
      // The account may be the operator's own.
      await queries.invalidateQueries({ queryKey: SESSION });
    },
  });
}

function numbersOf(plan: Plan): string {
  const { limits } = PLANS[plan];
  return limits ? limitsText(limits) : 'Limits of its own';
}
