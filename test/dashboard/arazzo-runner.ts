/** The parts of an Arazzo 1.0 document that its workflows use. */
export interface Arazzo {
  readonly workflows: readonly Workflow[];
  readonly components: { readonly failureActions: Readonly<Record<string, Retry>> };
}

interface Retry {
  readonly retryAfter: number;
  readonly retryLimit: number;
  readonly criteria: ReadonlyArray<{ readonly condition: string }>;
}

interface Workflow {
  readonly workflowId: string;
  readonly steps: readonly Step[];
  readonly outputs: Values;
}

interface Step {
  readonly stepId: string;
  readonly operationId?: string;
  readonly workflowId?: string;
  readonly parameters: ReadonlyArray<{
    readonly name: string;
    readonly in?: string;
    readonly value: unknown;
  }>;
  readonly requestBody?: { readonly payload: Values };
  readonly successCriteria?: ReadonlyArray<{ readonly condition: string }>;
  readonly onSuccess?: ReadonlyArray<{
    readonly type: 'goto' | 'end';
    readonly stepId?: string;
    readonly criteria?: ReadonlyArray<{ readonly context: string; readonly condition: string }>;
  }>;
  readonly onFailure?: ReadonlyArray<{ readonly reference: string }>;
  readonly outputs?: Values;
}

type Values = Readonly<Record<string, unknown>>;

/** The targets of a document's steps: method and path by operation id. */
export interface Sent {
  readonly baseUrl: string;
  readonly operations: Readonly<Record<string, readonly [method: string, path: string]>>;
  /** Called with every list in the reply to a step. */
  onPage(page: unknown[]): void;
  /** Waits before a step is repeated. */
  wait(seconds: number): void;
}

/**
 * Runs a workflow as specified, but ignores `Retry-After` in replies: it always waits as the document says.
 * @returns its outputs.
 * @throws Error when an expression has no value, or a step does not succeed.
 */
export async function runWorkflow(
  document: Arazzo,
  workflowId: string,
  inputs: Values,
  sent: Sent,
): Promise<Values> {
  const workflow = document.workflows.find((each) => each.workflowId === workflowId);
  if (!workflow) throw new Error(`There is no workflow ${workflowId}.`);
  const steps: Record<string, { outputs: Values }> = {};
  for (let index = 0; index < workflow.steps.length; ) {
    const step = workflow.steps[index];
    if (!step) break;
    const scope = { inputs, steps };
    const parameters = step.parameters.map((each) => ({
      ...each,
      value: evaluate(each.value, scope),
    }));
    const reply = step.workflowId
      ? { outputs: await runWorkflow(document, step.workflowId, namedValues(parameters), sent) }
      : await attempt(
          document,
          step,
          () => send(step, parameters, evaluateAll(step.requestBody?.payload ?? {}, scope), sent),
          sent,
        );
    const after = { ...scope, ...reply };
    steps[step.stepId] = { outputs: evaluateAll(step.outputs ?? {}, after) };
    const action = step.onSuccess?.find(({ criteria = [] }) =>
      criteria.every(({ context, condition }) => new RegExp(condition).test(text(context, after))),
    );
    if (action?.type === 'end') break;
    const target = workflow.steps.findIndex(({ stepId }) => stepId === action?.stepId);
    index = target === -1 ? index + 1 : target;
  }
  return evaluateAll(workflow.outputs, { inputs, steps });
}

type Parameters = ReadonlyArray<{
  readonly name: string;
  readonly in?: string;
  readonly value: unknown;
}>;

/** Sends a step until it succeeds or none of its actions repeats it. */
async function attempt(
  { components }: Arazzo,
  { stepId, successCriteria = [], onFailure = [] }: Step,
  sendStep: () => ReturnType<typeof send>,
  { wait, onPage }: Sent,
) {
  const actions = onFailure.map(
    ({ reference }) => components.failureActions[reference.split('.').at(-1) ?? ''],
  );
  for (let retries = 0; ; retries += 1) {
    const { status, response } = await sendStep();
    const meets = ({ condition }: { condition: string }) =>
      condition === `$statusCode == ${status}`;
    if (successCriteria.every(meets)) {
      if (Array.isArray(response.body)) onPage(response.body);
      return { response };
    }
    const action = actions.find((each) => each?.criteria.every(meets));
    if (!action || retries === action.retryLimit) throw new Error(`${stepId}: ${status}`);
    wait(action.retryAfter);
  }
}

async function send(
  step: Step,
  parameters: Parameters,
  payload: Values,
  { baseUrl, operations }: Sent,
) {
  const [method, path] = operations[step.operationId ?? ''] ?? ['', ''];
  const inPlace = (place: string) => parameters.filter((each) => each.in === place);
  const url = new URL(baseUrl + path);
  for (const { name, value } of inPlace('query')) url.searchParams.set(name, String(value));
  const headers = new Headers(inPlace('header').map(({ name, value }) => [name, String(value)]));
  const hasBody = step.requestBody !== undefined;
  if (hasBody) headers.set('Content-Type', 'application/json');
  const response = await fetch(url, {
    method,
    headers,
    ...(hasBody && { body: JSON.stringify(payload) }),
  });
  const header = Object.fromEntries(
    [...response.headers].map(([name, value]) => [name.toLowerCase(), value]),
  );
  const body: unknown = await response.json();
  return { status: response.status, response: { header, body } };
}

function namedValues(parameters: Parameters): Values {
  return Object.fromEntries(parameters.map(({ name, value }) => [name, value]));
}

function evaluateAll(expressions: Values, scope: object): Values {
  return Object.fromEntries(
    Object.entries(expressions).map(([name, each]) => [name, evaluate(each, scope)]),
  );
}

/** The value of an expression or of a text with embedded expressions; constants are returned unchanged. */
function evaluate(given: unknown, scope: object): unknown {
  if (typeof given !== 'string') return given;
  if (!given.startsWith('$')) {
    return given.replace(/\{(\$[^}]+)\}/g, (_, expression: string) =>
      String(evaluate(expression, scope)),
    );
  }
  const value = find(given, scope);
  if (value === undefined) throw new Error(`${given} has no value.`);
  return value;
}

/** The value as text; empty for a header that the reply lacks. */
function text(expression: string, scope: object): string {
  return String(find(expression, scope) ?? '');
}

/** Evaluates a name with dots and an optional JSON pointer: `$steps.page.outputs.pets#/99/id`. */
function find(expression: string, scope: object): unknown {
  const [names = '', pointer = ''] = expression.slice(1).split('#');
  const path = [...names.split('.'), ...pointer.split('/').slice(1)];
  const isHeader = names.startsWith('response.header.');
  return path.reduce<unknown>(
    (value, name) => Object(value)[isHeader ? name.toLowerCase() : name],
    scope,
  );
}
