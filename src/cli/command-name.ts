/** How this program is called, to be typed into a shell: by npm from its source, or by its own path. */
export const COMMAND = Bun.isStandaloneExecutable
  ? Bun.$.escape(process.execPath)
  : 'npm run -s petstore --';

/** How the service is started. */
export const START_COMMAND = Bun.isStandaloneExecutable ? `${COMMAND} serve` : 'npm start';
