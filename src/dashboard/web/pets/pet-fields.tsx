import { NativeSelect, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  DEFAULT_STATUS,
  NAME_MAX_LENGTH,
  PET_STATUSES,
  type PetStatus,
} from '../../../core/pets/pets.ts';
import { INT64_MAX, INT64_MIN } from '../../../lib/int64.ts';
import type { NewPetInfo } from '../../shared/pets.ts';
import { NumberField } from '../common/number-field.tsx';

/** What is entered in the fields. */
export type PetTexts = Readonly<Record<'name' | 'categoryId' | 'status', string>>;

type PetForm = ReturnType<typeof usePetForm>;

/**
 * The form for the fields of an animal.
 * @param onChange called with all fields after each change.
 */
export function usePetForm(initialValues: PetTexts, onChange: (entered: PetTexts) => void) {
  return useForm<PetTexts>({
    initialValues,
    onValuesChange: onChange,
    validate: { name: nameProblem, categoryId: categoryProblem },
  });
}

/** What the form asks for, once it is valid. */
export function enteredPet({ name, categoryId, status }: PetTexts): Required<NewPetInfo> {
  return {
    name,
    categoryId: String(BigInt(categoryId.trim())),
    status: PET_STATUSES.find((each) => each === status) ?? DEFAULT_STATUS,
  };
}

interface PetFieldsProps {
  readonly form: PetForm;
  readonly statuses: readonly PetStatus[];
}

export function PetFields({ form, statuses }: PetFieldsProps) {
  return (
    <>
      <TextInput
        label="Name"
        placeholder="Biscuit"
        dir="auto"
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
      <NumberField
        label="Category"
        description="The id of its category: any 64-bit integer."
        placeholder="7"
        {...form.getInputProps('categoryId')}
      />
      <NativeSelect label="Status" data={[...statuses]} {...form.getInputProps('status')} />
    </>
  );
}

function nameProblem(name: string): string | null {
  if (name.trim() === '') return 'Give the animal a name.';
  const { length } = Array.from(name);
  return length > NAME_MAX_LENGTH
    ? `The name has ${length} characters; ${NAME_MAX_LENGTH} are allowed.`
    : null;
}

function categoryProblem(text: string): string | null {
  return isInt64(text) ? null : 'Enter a whole number of at most 64 bits, such as 7.';
}

/** Whether a text is the decimal digits of an int64. */
export function isInt64(text: string): boolean {
  if (!/^-?\d{1,19}$/.test(text.trim())) return false;
  const value = BigInt(text.trim());
  return value >= INT64_MIN && value <= INT64_MAX;
}
