import type { Config, Part } from '../config/config.ts';
import { type ApiPart, ENVIRONMENTS, type Environment } from '../core/environments.ts';
import type { Limiter } from '../core/limiter.ts';
import type { Api } from '../http/api.ts';
import type { ApiAddresses } from '../http/deprecation.ts';
import type { Operation } from '../http/operation.ts';
import { operationRouter } from '../http/served-operations.ts';
import type { Stores } from '../storage/stores.ts';
import { openapiDocument } from './openapi/document.ts';
import { servedDocuments } from './openapi/served.ts';
import { ENVIRONMENT_RESOURCES, QUICKSTART_RESOURCES, type Resource } from './resources.ts';

export interface ApiParts {
  readonly config: Config;
  readonly stores: Stores;
  readonly limiters: ReadonlyMap<Environment, Limiter>;
  readonly recordUse: Api['recordUse'];
  baseUrl(part: Part): string;
}

/** The API as it is served below the base addresses of these parts. */
export function createApis(parts: readonly Part[], shared: ApiParts): Api[] {
  return parts.flatMap((part) => (part === 'dashboard' ? [] : [createApi(part, shared)]));
}

function createApi(part: ApiPart, shared: ApiParts): Api {
  const { config, stores, limiters, recordUse, baseUrl } = shared;
  const isQuickstart = part === 'quickstart';
  const addresses = { baseUrl: baseUrl(part), documentation: `${baseUrl('dashboard')}/docs` };
  const home = requireLimiter(limiters, isQuickstart ? 'production' : part);
  return {
    ...addresses,
    routes: isQuickstart
      ? routerOf(QUICKSTART_RESOURCES, { stores }, addresses)
      : routerOf(
          ENVIRONMENT_RESOURCES,
          { stores, environment: stores.environment(part), baseUrl: addresses.baseUrl },
          addresses,
        ),
    keyRing: stores.keyRing,
    accepts: isQuickstart ? ENVIRONMENTS : [part],
    documents: servedDocuments(() =>
      openapiDocument(part, {
        baseUrl: addresses.baseUrl,
        dashboard: baseUrl('dashboard'),
        contact: config.contact,
      }),
    ),
    anonymousLimits: config.anonymousLimits,
    limiterOf: isQuickstart
      ? ({ key }) => (key ? requireLimiter(limiters, key.environment) : home)
      : () => home,
    recordUse,
  };
}

function routerOf<Context>(
  resources: ReadonlyArray<Resource<Readonly<Record<string, Operation>>, Context>>,
  context: Context,
  addresses: ApiAddresses,
) {
  const operations = resources.flatMap((resource) => Object.entries(resource.operations));
  const handlers = resources.flatMap((resource) => Object.entries(resource.handlers(context)));
  return operationRouter(Object.fromEntries(operations), Object.fromEntries(handlers), addresses);
}

function requireLimiter(
  limiters: ReadonlyMap<Environment, Limiter>,
  environment: Environment,
): Limiter {
  const limiter = limiters.get(environment);
  if (limiter) return limiter;
  throw new Error(`Nothing counts the requests of ${environment} here.`);
}
