import type { Locator, Page } from 'playwright-core';

/** A form: where it is, how it is filled in and sent, and what it must contain afterwards. */
interface Form {
  readonly name: string;
  /** The file with its fields, below `src/dashboard/web`. */
  readonly file: string;
  /** The page, with placeholders for the id of another account, and of an animal of the reader in staging. */
  readonly at: string;
  readonly isForOperators?: boolean;
  readonly opener?: string;
  fill(form: Page | Locator): Promise<void>;
  readonly submit: string;
  contains(form: Page | Locator): Promise<readonly unknown[]>;
  readonly expected: readonly unknown[];
}

/** Every form whose text is there again; `test/project/form-drafts.test.ts` compares them with the source. */
export const FORMS: readonly Form[] = [
  {
    name: 'create a key',
    file: 'keys/create-key-dialog.tsx',
    at: '/keys',
    opener: 'Create key',
    async fill(form) {
      await form.getByLabel('Name').fill('Shop');
      await form.getByLabel('Staging').check();
      await form.getByLabel('Expires after (days)').fill('30');
      await form.getByLabel('Simulation').fill('unavailable;times=2');
    },
    submit: 'Create key',
    contains: async (form) => [
      await form.getByLabel('Name').inputValue(),
      await form.getByLabel('Staging').isChecked(),
      await form.getByLabel('Expires after (days)').inputValue(),
      await form.getByLabel('Simulation').inputValue(),
    ],
    expected: ['Shop', true, '30', 'unavailable;times=2'],
  },
  {
    name: 'rename a key',
    file: 'keys/rename-key-dialog.tsx',
    at: '/keys?text=mine',
    opener: 'Rename mine',
    fill: (form) => form.getByLabel('Name').fill('Yours'),
    submit: 'Rename key',
    contains: async (form) => [await form.getByLabel('Name').inputValue()],
    expected: ['Yours'],
  },
  {
    name: 'rotate a key',
    file: 'keys/rotate-key-dialog.tsx',
    at: '/keys',
    opener: 'Rotate mine',
    fill: (form) => form.getByLabel('72 hours').check(),
    submit: 'Rotate key',
    contains: async (form) => [await form.getByLabel('72 hours').isChecked()],
    expected: [true],
  },
  {
    name: 'ban a key in the sandbox',
    file: 'sandbox/bans.tsx',
    at: '/sandbox',
    fill: (page) => page.getByLabel('Seconds').fill('47'),
    submit: 'Ban the key',
    contains: async (page) => [await page.getByLabel('Seconds').inputValue()],
    expected: ['47'],
  },
  {
    name: 'add a passkey',
    file: 'second-factor/factor-dialogs.tsx',
    at: '/account',
    opener: 'Add a passkey',
    fill: (form) => form.getByLabel('Name').fill('My laptop'),
    submit: 'Continue',
    contains: async (form) => [await form.getByLabel('Name').inputValue()],
    expected: ['My laptop'],
  },
  {
    name: 'confirm that an account is deleted',
    file: 'operator/operator-actions.tsx',
    at: '/operator/accounts/ACCOUNT',
    isForOperators: true,
    opener: 'Delete account',
    fill: (form) => form.getByRole('textbox').fill('a@example.com'),
    submit: 'Delete account',
    contains: async (form) => [await form.getByRole('textbox').inputValue()],
    expected: ['a@example.com'],
  },
  {
    name: 'change a plan',
    file: 'operator/plan-dialog.tsx',
    at: '/operator/accounts/ACCOUNT',
    isForOperators: true,
    opener: 'Change plan',
    async fill(form) {
      await form.getByLabel('Enterprise').check();
      await form.getByLabel('Requests a minute').fill('70');
      await form.getByLabel('Requests a day').fill('7,000');
    },
    submit: 'Change plan',
    contains: async (form) => [
      await form.getByLabel('Enterprise').isChecked(),
      await form.getByLabel('Requests a minute').inputValue(),
      await form.getByLabel('Requests a day').inputValue(),
    ],
    expected: [true, '70', '7,000'],
  },
  {
    name: 'suspend an account',
    file: 'operator/operator-actions.tsx',
    at: '/operator/accounts/ACCOUNT',
    isForOperators: true,
    opener: 'Suspend account',
    fill: (form) => form.getByRole('textbox').fill('Spam was sent'),
    submit: 'Suspend account',
    contains: async (form) => [await form.getByRole('textbox').inputValue()],
    expected: ['Spam was sent'],
  },
  {
    name: 'add an animal',
    file: 'pets/add-pet-dialog.tsx',
    at: '/animals?environment=staging',
    opener: 'Add an animal',
    async fill(form) {
      await form.getByLabel('Name').fill('قطة');
      await form.getByLabel('Category').fill('9007199254740993');
      await form.getByRole('combobox', { name: 'Status' }).selectOption('pending');
    },
    submit: 'Add animal',
    contains: petFields,
    expected: ['قطة', '9007199254740993', 'pending'],
  },
  {
    name: 'change an animal',
    file: 'pets/pet-changes.tsx',
    at: '/animals?environment=staging&animal=PET',
    opener: 'Change',
    async fill(form) {
      await form.getByLabel('Name').fill('Max');
      await form.getByRole('combobox', { name: 'Status' }).selectOption('sold');
    },
    submit: 'Save',
    contains: petFields,
    expected: ['Max', '7', 'sold'],
  },
];

async function petFields(form: Page | Locator): Promise<readonly string[]> {
  return [
    await form.getByLabel('Name').inputValue(),
    await form.getByLabel('Category').inputValue(),
    await form.getByRole('combobox', { name: 'Status' }).inputValue(),
  ];
}
