/* Commands of curl for staging. They read the key from the environment. */

const KEY = '-H "Authorization: Bearer $PETSTORE_STAGING_KEY"';

const JSON_TYPE = '-H "Content-Type: application/json"';

/** One request that meets a simulation. @param staging the base address of staging. */
export function requestWith(simulate: string, staging: string): string {
  return `curl -i ${staging}/pets \\
  ${KEY} \\
  -H "Petstore-Simulate: ${simulate}"`;
}

/**
 * Makes the next two requests of the account meet a simulation. @param sandbox the base address of
 * the sandbox.
 */
export function accountWith(simulate: string, sandbox: string): string {
  return `curl -X PUT ${sandbox}/simulation \\
  ${KEY} \\
  ${JSON_TYPE} \\
  -d '${JSON.stringify({ simulate, times: 2 })}'`;
}

/** Uses up the minute of the account, and sends a request that is refused for that. */
export function refusedRequest(staging: string, sandbox: string): string {
  return `curl -X PUT ${sandbox}/usage \\
  ${KEY} \\
  ${JSON_TYPE} \\
  -d '${JSON.stringify({ minuteRemaining: 0 })}'
curl -i ${staging}/pets \\
  ${KEY}`;
}
