import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { FORMS } from '../web/draft-forms.ts';

const WEB = join(import.meta.dir, '../../src/dashboard/web');

/** What a reader can fill in: forms, and the fields that Mantine and this project have. */
const FIELD =
  /<form\b|\buseForm\b|<(?:\w*(?:Input|Field)|Textarea|Select|NativeSelect|MultiSelect|Autocomplete|Checkbox|Slider|Rating|(?:Radio|Chip)(?:\.Group)?|SegmentedControl)\b|<Switch\s/;

/** The files with fields that keep no draft, by the reason. */
const WITHOUT_DRAFT: Readonly<Record<string, readonly string[]>> = {
  'a part of the forms of other files': [
    'common/number-field.tsx',
    'common/search-field.tsx',
    'keys/key-dialog.tsx',
    'keys/key-name-field.tsx',
    'pets/pet-fields.tsx',
  ],
  'filters, which are in the address': [
    'keys/key-filter.tsx',
    'messages/messages-page.tsx',
    'operator/accounts-page.tsx',
    'operator/audit-page.tsx',
    'orders/order-filters.tsx',
    'pets/pet-filters.tsx',
    'requests/request-filters.tsx',
    'sandbox/simulations.tsx',
    'start/start-page.tsx',
    'usage/filters.tsx',
  ],
  'passwords, codes and new keys, which are not stored': [
    'account/change-password.tsx',
    'account/delete-account.tsx',
    'keys/new-key-dialog.tsx',
    'second-factor/second-step.tsx',
    'sign-in/sign-in-again-dialog.tsx',
  ],
  'filled in without a session': [
    'sign-in/fields.tsx',
    'sign-in/forgot-password-page.tsx',
    'sign-in/reset-password-page.tsx',
    'sign-in/sign-in-page.tsx',
    'sign-in/sign-up-page.tsx',
  ],
};

test('every form of the dashboard keeps what is entered, or says why it need not', async () => {
  const drafts: string[] = [];
  const others: string[] = [];
  for await (const file of new Bun.Glob('**/*.tsx').scan(WEB)) {
    const source = await Bun.file(join(WEB, file)).text();
    if (/\buseDraft\b/.test(source)) drafts.push(file);
    else if (FIELD.test(source)) others.push(file);
  }
  expect(others.sort()).toEqual(Object.values(WITHOUT_DRAFT).flat().sort());
  // Each of them is filled in by a test with a browser; these two by tests of their own.
  const tested = new Set([
    'sandbox/usage-left.tsx',
    'start/get-key.tsx',
    ...FORMS.map(({ file }) => file),
  ]);
  expect(drafts.sort()).toEqual([...tested].sort());
});
