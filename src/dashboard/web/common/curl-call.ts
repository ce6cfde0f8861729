import { curlSample } from '../../../api/samples/curl.ts';
import type { FormParameter, FormRequest } from '../../../api/samples/form-request.ts';
import { sampleCall } from '../../../api/samples/sample-call.ts';
import type { Environment } from '../../../core/environments.ts';
import { writeExactly } from '../../../lib/exact-json.ts';

/** The requests that pages show; a test compares them with the operations. */
export const REQUESTS = {
  createPet: { method: 'POST', path: '/pets' },
  updatePet: { method: 'PATCH', path: '/pets/{petId}' },
  deletePet: { method: 'DELETE', path: '/pets/{petId}' },
  createOrder: { method: 'POST', path: '/store/orders' },
  getOrder: { method: 'GET', path: '/store/orders/{orderId}' },
  updateOrder: { method: 'PATCH', path: '/store/orders/{orderId}' },
} as const;

/** A call of the API that does what a page does. */
export interface ApiCall {
  readonly operation: keyof typeof REQUESTS;
  /** The id in its path. */
  readonly id?: number | undefined;
  /** The entity tag that the object must have. */
  readonly ifMatch?: string | undefined;
  /** Its fields; int64 as bigints. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
}

/** The variables of the shell that hold a key in commands. */
const KEYS = { production: '$PETSTORE_KEY', staging: '$PETSTORE_STAGING_KEY' } as const;

/** A call as a command of curl. @param baseUrl of the environment. */
export function curlCall(
  environment: Environment,
  baseUrl: string,
  { operation, id, ifMatch = '', body }: ApiCall,
): string {
  const { method, path } = REQUESTS[operation];
  const parameter = (place: FormParameter['in'], name: string, value: string): FormParameter => {
    return { in: place, name, value, isGenerated: false };
  };
  const request: FormRequest = {
    ...{ operationId: operation, method, path, baseUrl, result: 'int64' },
    parameters: [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => parameter('path', name, `${id}`)),
      parameter('header', 'If-Match', ifMatch),
    ],
    body: body && writeExactly(body),
  };
  return curlSample(sampleCall(request, KEYS[environment]));
}
