import { type Addressed, addressesOf, type Config, type Part } from '../config/config.ts';
import { type ApiName, ENVIRONMENTS, type Environment } from '../core/environments.ts';
import type { Limiter } from '../core/limiter.ts';
import { SANDBOX_LIMITS } from '../core/sandbox.ts';
import type { SandboxControl } from '../core/sandbox-control.ts';
import type { Api } from '../http/api.ts';
import type { ApiAddresses } from '../http/deprecation.ts';
import type { Operation } from '../http/operation.ts';
import { operationRouter } from '../http/served-operations.ts';
import type { Stores } from '../storage/stores.ts';
import { servedDocuments } from './openapi/served.ts';
import {
  ENVIRONMENT_RESOURCES,
  QUICKSTART_RESOURCES,
  type Resource,
  SANDBOX_RESOURCES,
} from './resources.ts';

export interface ApiParts {
  readonly config: Config;
  readonly stores: Stores;
  readonly limiters: ReadonlyMap<Environment, Limiter>;
  readonly recordUse: Api['recordUse'];
  /** Loads it at the first call. */
  readonly sandbox: () => Promise<SandboxControl>;
  baseUrl(name: Addressed): string;
}

/** What an API serves, and to whose keys. */
interface Served
  extends Pick<
    Api,
    'routes' | 'accepts' | 'isSandbox' | 'quotaOf' | 'limiterOf' | 'simulations' | 'recordUse'
  > {}

/** The APIs that are served with these parts. */
export function createApis(parts: readonly Part[], shared: ApiParts): Api[] {
  return addressesOf(parts).flatMap((name) =>
    name === 'dashboard' ? [] : [createApi(name, shared)],
  );
}

function createApi(name: ApiName, shared: ApiParts): Api {
  const { config, stores, baseUrl } = shared;
  const addresses = { baseUrl: baseUrl(name), documentation: `${baseUrl('dashboard')}/docs` };
  return {
    ...addresses,
    ...served(name, shared, addresses),
    keyRing: stores.keyRing,
    documents: servedDocuments(name, {
      baseUrl: addresses.baseUrl,
      dashboard: baseUrl('dashboard'),
      contact: config.contact,
    }),
    anonymousLimits: config.anonymousLimits,
  };
}

function served(name: ApiName, shared: ApiParts, addresses: ApiAddresses): Served {
  switch (name) {
    case 'quickstart':
      return quickstart(shared, addresses);
    case 'sandbox':
      return sandbox(shared, addresses);
    default:
      return environment(name, shared, addresses);
  }
}

function environment(
  name: Environment,
  { stores, limiters, recordUse }: ApiParts,
  addresses: ApiAddresses,
): Served {
  const { baseUrl } = addresses;
  const limiter = requireLimiter(limiters, name);
  const context = { stores, environment: stores.environment(name), baseUrl };
  return {
    routes: routerOf(ENVIRONMENT_RESOURCES, context, addresses),
    accepts: [name],
    isSandbox: false,
    quotaOf: ({ quota }) => quota,
    limiterOf: () => limiter,
    simulations: name === 'staging' ? stores.simulations : undefined,
    recordUse,
  };
}

function quickstart({ stores, limiters, recordUse }: ApiParts, addresses: ApiAddresses): Served {
  const home = requireLimiter(limiters, 'production');
  return {
    routes: routerOf(QUICKSTART_RESOURCES, { stores }, addresses),
    accepts: ENVIRONMENTS,
    isSandbox: false,
    quotaOf: ({ quota }) => quota,
    limiterOf: ({ key }) => (key ? requireLimiter(limiters, key.environment) : home),
    simulations: stores.simulations,
    recordUse,
  };
}

/** Its requests have a quota of their own, cannot be banned, and are not shown as usage. */
function sandbox({ sandbox: control, limiters }: ApiParts, addresses: ApiAddresses): Served {
  const limiter = requireLimiter(limiters, 'staging');
  return {
    routes: routerOf(SANDBOX_RESOURCES, { sandbox: control }, addresses),
    accepts: ['staging'],
    isSandbox: true,
    quotaOf: ({ caller }) => ({
      id: `${caller}:sandbox`,
      limits: SANDBOX_LIMITS,
      key: undefined,
    }),
    limiterOf: () => limiter,
    recordUse: () => {},
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
