import { IS_PACKAGE } from '../lib/bundled.ts';

/** How an operator runs the commands of this service. */
export const COMMAND = commandLine();

function commandLine(): string {
  if (Bun.isStandaloneExecutable) return 'petstore';
  return IS_PACKAGE ? 'npx petstore' : 'npm run -s petstore --';
}
