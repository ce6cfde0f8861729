import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { OrderInfo } from '../../shared/orders.ts';
import { useBackCloses } from '../common/back-guard.ts';
import { Code } from '../common/copy.tsx';
import { Failure, Loading } from '../common/states.tsx';
import { basePath } from '../page-settings.ts';
import type { SecondOrder } from './order-calls.ts';

interface SecondOrderDialogProps {
  /** The open order whose animal was ordered once more; the dialog is closed without one. */
  readonly first: OrderInfo | undefined;
  /** The outcome, once it is known. */
  readonly outcome: SecondOrder | undefined;
  readonly error: Error | null;
  readonly onClose: () => void;
}

/** What a second buyer of an ordered animal gets. */
export function SecondOrderDialog({ first, outcome, error, onClose }: SecondOrderDialogProps) {
  // It has no address: a link must not order anything.
  useBackCloses(first !== undefined, 'second-order', onClose);
  return (
    <Modal
      opened={first !== undefined}
      onClose={onClose}
      title="A second order for the same animal"
      transitionProps={{ duration: 0 }}
      size="lg"
    >
      {first && (
        <Stack>
          {error && <Failure error={error} />}
          {!error && !outcome && <Loading label="Ordering" height={180} />}
          {outcome && 'reply' in outcome && <Refused first={first} reply={outcome.reply} />}
          {outcome && 'made' in outcome && <Made first={first} made={outcome.made} />}
          <Group justify="flex-end">
            <Button onClick={onClose} data-autofocus>
              Close
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

interface RefusedProps {
  readonly first: OrderInfo;
  readonly reply: Extract<SecondOrder, { reply: unknown }>['reply'];
}

function Refused({ first, reply: { status, code, message } }: RefusedProps) {
  return (
    <>
      <Text>
        The service just got a second order for animal {first.petId}, and refused it with status{' '}
        <strong>{status}</strong>:
      </Text>
      <div className="order-reply">
        <Code label="the reply" value={JSON.stringify({ code, message, status }, undefined, 2)} />
      </div>
      <Text size="sm">
        Every buyer but the first gets this reply, your programs to{' '}
        <DocumentLink path="operations/createOrder">POST /store/orders</DocumentLink>, too: of all
        orders for one animal at most one is open. The reply has no Retry-After, because waiting
        does not help: order another animal. Only when order {first.id} is cancelled is this one
        available again. More about{' '}
        <DocumentLink path={`guides/errors#${code}`}>{code}</DocumentLink> and{' '}
        <DocumentLink path="guides/orders">orders</DocumentLink>.
      </Text>
    </>
  );
}

function Made({ first, made }: { readonly first: OrderInfo; readonly made: OrderInfo }) {
  return (
    <Text>
      Order {first.id} had just ended, and animal {made.petId} was available again: so this order
      was placed. It is order {made.id}, which you can cancel.
    </Text>
  );
}

function DocumentLink({ path, children }: { readonly path: string; readonly children: string }) {
  return (
    <Anchor href={`${basePath}/docs/${path}`} inherit underline="always">
      {children}
    </Anchor>
  );
}
