import { readConfig } from '../../src/config/config.ts';
import { SetupError } from '../../src/core/errors.ts';

/** The problems of settings that are refused, one for each line of the message. */
export function problems(settings: Readonly<Record<string, string>>): string[] {
  try {
    readConfig(settings);
    return [];
  } catch (error) {
    if (error instanceof SetupError) return error.message.split('\n');
    throw error;
  }
}
