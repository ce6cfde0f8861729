import { type Addresses, addressesOf, type Config, type Part } from '../config/config.ts';
import { type ApiName, ENVIRONMENTS, type Environment } from '../core/environments.ts';
import type { KeyRecord } from '../core/keys/api-keys.ts';
import type { Limiter, QuotaCaller } from '../core/limits/limiter.ts';
import { SANDBOX_LIMITS } from '../core/sandbox/sandbox.ts';
import type { SandboxControl } from '../core/sandbox/sandbox-control.ts';
import type { Api } from '../http/api.ts';
import type { ApiAddresses } from '../http/lifecycle.ts';
import { operationRouter } from '../http/target/served-operations.ts';
import type { Lazy } from '../lib/lazy.ts';
import type { Stores } from '../storage/stores.ts';
import { servedDocuments } from './openapi/served.ts';
import type { Contract } from './operations.ts';
import type { Resource } from './resources.ts';

interface ApiParts {
  readonly config: Config;
  readonly stores: Stores;
  readonly limiters: ReadonlyMap<Environment, Limiter>;
  readonly recordUsage: Api['recordUsage'];
  readonly sandbox: Lazy<SandboxControl>;
  readonly addresses: Addresses;
  /** The operations that are served. */
  readonly contract: Contract;
}

/** The APIs that are served with these parts. */
export function createApis(parts: readonly Part[], shared: ApiParts): Api[] {
  return addressesOf(parts).flatMap((name) =>
    name === 'dashboard' ? [] : [createApi(name, shared)],
  );
}

function createApi(name: ApiName, { config, stores, limiters, ...given }: ApiParts): Api {
  const { [name]: baseUrl, dashboard } = given.addresses;
  const addresses = { baseUrl, documentation: `${dashboard}/docs` };
  const { contact, anonymousLimits } = config;
  const { resources } = given.contract;
  const common = {
    baseUrl,
    apiKeyService: stores.apiKeyService,
    documents: servedDocuments(name, { baseUrl, dashboard, contact }, given.contract),
    anonymousLimits,
    isRealTime: false,
    quotaOf: ({ quota }: KeyRecord) => quota,
    recordUsage: given.recordUsage,
  };
  switch (name) {
    case 'quickstart': {
      const home = requireLimiter(limiters, 'production');
      return {
        ...common,
        routes: routerOf(resources.quickstart, { stores }, addresses),
        accepts: ENVIRONMENTS,
        limiterOf: ({ key }) => (key ? requireLimiter(limiters, key.environment) : home),
        simulations: stores.simulations,
      };
    }
    case 'sandbox': {
      const limiter = requireLimiter(limiters, 'staging');
      return {
        ...common,
        routes: routerOf(resources.sandbox, { sandbox: given.sandbox }, addresses),
        accepts: ['staging'],
        limiterOf: () => limiter,
        isRealTime: true,
        // Requests to the sandbox have their own quota, cannot be banned, and are not shown as usage.
        quotaOf: ({ caller }) => sandboxQuota(caller),
        recordUsage: () => {},
      };
    }
    default: {
      const limiter = requireLimiter(limiters, name);
      const context = { stores, environment: stores.environment(name), baseUrl };
      return {
        ...common,
        routes: routerOf(resources[name], context, addresses),
        accepts: [name],
        limiterOf: () => limiter,
        simulations: name === 'staging' ? stores.simulations : undefined,
      };
    }
  }
}

function sandboxQuota(caller: string): QuotaCaller {
  return { id: `${caller}:sandbox`, limits: SANDBOX_LIMITS, key: undefined };
}

function routerOf<Context>(
  resources: ReadonlyArray<Resource<Context>>,
  context: Context,
  addresses: ApiAddresses,
) {
  const handled = resources.map(({ operations, handlers }) => ({
    operations,
    handlers: handlers(context),
  }));
  return operationRouter(handled, addresses);
}

function requireLimiter(
  limiters: ReadonlyMap<Environment, Limiter>,
  environment: Environment,
): Limiter {
  const limiter = limiters.get(environment);
  if (limiter) return limiter;
  throw new Error(`This process has no limiter for ${environment}.`);
}
