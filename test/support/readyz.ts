import { eventually } from './harness.ts';

/** The reply of `/readyz` of a service once it has loaded its code. */
export async function readyz({
  opsPort,
}: {
  readonly opsPort: number;
}): Promise<{ status: number; text: string }> {
  let readiness = { status: 0, text: '' };
  await eventually(async () => {
    const reply = await fetch(`http://localhost:${opsPort}/readyz`);
    readiness = { status: reply.status, text: await reply.text() };
    return !readiness.text.includes('the service is still loading code');
  });
  return readiness;
}
