import { startCommand } from './process.ts';
import { onFolder } from './storage.ts';

export interface Refusal {
  readonly code: number;
  readonly stderr: string;
}

/** Starts the service where it must refuse to start; it is ended in any case. */
export async function startInVain(folder: string, args: readonly string[] = []): Promise<Refusal> {
  const child = startCommand(['serve', ...args], { ...onFolder(folder), PETSTORE_PORT: '0' });
  const tooLong = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const [stderr, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  clearTimeout(tooLong);
  return { code, stderr };
}
