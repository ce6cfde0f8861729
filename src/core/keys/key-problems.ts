import type { Environment } from '../environments.ts';
import { type ApiErrorBody, messageFor } from '../errors.ts';

// One object for each problem, for which its reply is made only once.
export const NOT_A_KEY = invalid(messageFor('invalid_api_key'));
export const UNKNOWN_KEY = invalid('This API key is unknown. Create a new one.');
export const SUSPENDED = invalid(
  'The account of this API key is suspended. Sign in to the dashboard to read why.',
);

export const NOT_LIVE = {
  expired: invalid('This API key is expired. Create a new one.'),
  revoked: invalid('This API key is revoked. Create a new one.'),
};

/** For keys of an environment that are sent to the other one. */
export const MISPLACED = {
  production: misplaced('production', 'staging'),
  staging: misplaced('staging', 'production'),
};

function misplaced(named: Environment, accepted: Environment): ApiErrorBody {
  return invalid(
    `This API key is for ${named}, and this is ${accepted}. ` +
      `Send it to the base URL of ${named}, or use a ${accepted} key.`,
  );
}

function invalid(message: string): ApiErrorBody {
  return { code: 'invalid_api_key', message };
}
