import type {
  FormParameter,
  FormRequest,
  SampleResult,
} from '../../../api/samples/form-request.ts';

/** The address that a form sends to. */
export interface FormTarget {
  /** Such as `Staging`. */
  readonly title: string;
  readonly baseUrl: string;
  /** Of its keys; `undefined` if keys of both are accepted. */
  readonly environment: 'production' | 'staging' | undefined;
}

/** The chosen target of a form. */
export function targetOf(form: HTMLFormElement): FormTarget {
  const chosen = form.querySelector<HTMLInputElement>(
    'input[name="target"]:checked, input[name="target"][type="hidden"]',
  );
  const { title = '', environment } = chosen?.dataset ?? {};
  const isOne = environment === 'production' || environment === 'staging';
  return { title, baseUrl: chosen?.value ?? '', environment: isOne ? environment : undefined };
}

/** Disables the parameters that the chosen environment does not have. */
export function enableParameters(form: HTMLFormElement): void {
  const { environment } = targetOf(form);
  for (const field of fieldsOf(form)) {
    const { environment: only } = field.dataset;
    field.disabled = only !== undefined && only !== environment;
  }
}

/** The request of a form as it is filled in, without what is disabled. */
export function requestOf(form: HTMLFormElement): FormRequest {
  const { operation = '', method = 'GET', path = '', result } = form.dataset;
  return {
    operationId: operation,
    method,
    path,
    baseUrl: targetOf(form).baseUrl,
    parameters: fieldsOf(form)
      .filter(({ disabled }) => !disabled)
      .map(parameterOf),
    body: bodyOf(form),
    result: RESULTS.find((known) => known === result) ?? 'plain',
  };
}

function bodyOf(form: HTMLFormElement): string | undefined {
  const field = form.querySelector('textarea');
  if (!field || (field.value === '' && field.dataset['optional'] !== undefined)) return undefined;
  // A lone surrogate has no encoding: browsers replace it as well.
  return field.value.toWellFormed();
}

const RESULTS: readonly SampleResult[] = ['none', 'plain', 'int64'];

const PLACES: readonly FormParameter['in'][] = ['path', 'query', 'header'];

function fieldsOf(form: HTMLFormElement): (HTMLInputElement | HTMLSelectElement)[] {
  return [...form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[data-parameter]')];
}

function parameterOf({ dataset, value }: HTMLInputElement | HTMLSelectElement): FormParameter {
  const { parameter = '', in: place, generated } = dataset;
  return {
    name: parameter,
    in: PLACES.find((known) => known === place) ?? 'query',
    // Browsers trim headers, and replace lone surrogates.
    value: (place === 'header' ? value.trim() : value).toWellFormed(),
    isGenerated: generated !== undefined,
  };
}
