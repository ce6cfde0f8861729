/** How an operator runs the commands of this service. */
export const COMMAND = Bun.isStandaloneExecutable ? 'petstore' : 'npm run -s petstore --';
