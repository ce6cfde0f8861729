import type { SandboxControl } from '../core/sandbox/sandbox-control.ts';
import type { Handlers } from '../http/handler.ts';
import type { Operation } from '../http/operation.ts';
import type { Lazy } from '../lib/lazy.ts';
import type { EnvironmentStores, Stores } from '../storage/stores.ts';
import { messageHandlers } from './messages/handlers.ts';
import { MESSAGE_OPERATIONS } from './messages/operations.ts';
import { MESSAGE_SCHEMAS } from './messages/schemas.ts';
import { orderHandlers } from './orders/handlers.ts';
import { ORDER_OPERATIONS } from './orders/operations.ts';
import { ORDER_SCHEMAS } from './orders/schemas.ts';
import { petHandlers } from './pets/handlers.ts';
import { PET_OPERATIONS } from './pets/operations.ts';
import { PET_SCHEMAS } from './pets/schemas.ts';
import { sandboxHandlers } from './sandbox/handlers.ts';
import { SANDBOX_OPERATIONS } from './sandbox/operations.ts';
import { SANDBOX_SCHEMAS } from './sandbox/schemas.ts';

/** A JSON Schema that the OpenAPI document names, limited to what the documentation uses. */
export interface NamedSchema {
  /** Several where `null` is allowed. */
  readonly type: string | readonly string[];
  readonly description: string;
  readonly format?: string;
  readonly enum?: ReadonlyArray<string | boolean>;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, NamedSchema>>;
  /** Of an array. */
  readonly items?: NamedSchema;
  readonly example?: unknown;
}

/**
 * Operations that belong together, with their schemas and handlers.
 * @typeParam Context the dependencies of the handlers.
 */
export interface Resource<Context> {
  /** Its name in the OpenAPI document. */
  readonly tag: string;
  readonly description: string;
  /** By the names that the OpenAPI document gives them. */
  readonly schemas: Readonly<Record<string, NamedSchema>>;
  /** By operation id. */
  readonly operations: Readonly<Record<string, Operation>>;
  /** One for each operation. */
  handlers(context: Context): Handlers<Record<string, Operation>>;
}

export interface QuickstartContext {
  readonly stores: Stores;
}

export interface EnvironmentContext extends QuickstartContext {
  readonly environment: EnvironmentStores;
  /** Base address of the resource, for links. Without a trailing slash. */
  readonly baseUrl: string;
}

export interface SandboxContext {
  readonly sandbox: Lazy<SandboxControl>;
}

/** Resources of each environment, below the base addresses of production and staging. */
export const ENVIRONMENT_RESOURCES = [
  {
    tag: 'Pets',
    description: 'The animals of the store, in production and in staging.',
    schemas: PET_SCHEMAS,
    operations: PET_OPERATIONS,
    handlers: ({ environment, baseUrl }) => petHandlers(environment.pets, baseUrl),
  },
  {
    tag: 'Orders',
    description: 'The orders of your account for animals, in production and in staging.',
    schemas: ORDER_SCHEMAS,
    operations: ORDER_OPERATIONS,
    handlers: ({ environment, baseUrl }) => orderHandlers(environment.orders, baseUrl),
  },
] as const satisfies ReadonlyArray<Resource<EnvironmentContext>>;

/** Resources below the base address of the quickstart. */
export const QUICKSTART_RESOURCES = [
  {
    tag: 'Quickstart',
    description: 'One message to begin with, at an address of its own. Takes any key.',
    schemas: MESSAGE_SCHEMAS,
    operations: MESSAGE_OPERATIONS,
    handlers: ({ stores }) => messageHandlers(stores.messages),
  },
] as const satisfies ReadonlyArray<Resource<QuickstartContext>>;

/** Resources below the base address of the sandbox. */
export const SANDBOX_RESOURCES = [
  {
    tag: 'Sandbox',
    description: 'What applies to an account in staging: time, usage, bans and simulations.',
    schemas: SANDBOX_SCHEMAS,
    operations: SANDBOX_OPERATIONS,
    handlers: ({ sandbox }) => sandboxHandlers(sandbox),
  },
] as const satisfies ReadonlyArray<Resource<SandboxContext>>;

/** Every resource, in the order of the OpenAPI document. */
export const RESOURCES = [
  ...ENVIRONMENT_RESOURCES,
  ...QUICKSTART_RESOURCES,
  ...SANDBOX_RESOURCES,
] as const;

/** The resources below each base address. */
export interface Resources {
  readonly production: ReadonlyArray<Resource<EnvironmentContext>>;
  readonly staging: ReadonlyArray<Resource<EnvironmentContext>>;
  readonly quickstart: ReadonlyArray<Resource<QuickstartContext>>;
  readonly sandbox: ReadonlyArray<Resource<SandboxContext>>;
}

/** The resources of the service. */
export const RESOURCES_OF: Resources = {
  production: ENVIRONMENT_RESOURCES,
  staging: ENVIRONMENT_RESOURCES,
  quickstart: QUICKSTART_RESOURCES,
  sandbox: SANDBOX_RESOURCES,
};
