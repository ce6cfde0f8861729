import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Schema from 'typebox/schema';
import type { OperationId } from '../../src/api/operations.ts';

/** The parts of an OpenAPI document that the tests read. */
export interface OpenapiDocument {
  readonly openapi: string;
  readonly info: { readonly version: string; readonly description: string };
  readonly servers: ReadonlyArray<{ readonly url: string; readonly variables?: unknown }>;
  readonly security: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly securitySchemes: unknown;
    readonly schemas: Readonly<Record<string, { readonly example?: unknown }>>;
    readonly headers: Readonly<Record<string, WithSchema>>;
  };
}

export interface WithSchema {
  readonly schema: object;
  readonly example?: unknown;
  readonly required?: boolean;
}

export interface OperationObject {
  readonly operationId: OperationId;
  readonly deprecated?: boolean;
  readonly parameters?: ReadonlyArray<WithSchema & { readonly name: string }>;
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface ResponseObject {
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>;
  /** Absent if the reply has no body. */
  readonly content?: Content;
}

type Content = Readonly<
  Record<
    string,
    { readonly schema: object; readonly examples?: Readonly<Record<string, { value: unknown }>> }
  >
>;

/** A committed document. */
interface CommittedDocument {
  readonly text: string;
  readonly document: OpenapiDocument;
}

const DOCUMENTED_APIS = ['production', 'quickstart', 'sandbox'] as const;
type DocumentedApi = (typeof DOCUMENTED_APIS)[number];

/** The committed documents, by the API whose base address they describe. */
export const COMMITTED: Readonly<Record<DocumentedApi, CommittedDocument>> = {
  production: read('openapi.json'),
  quickstart: read('openapi.quickstart.json'),
  sandbox: read('openapi.sandbox.json'),
};

/** The document of the pets API in production. */
export const committed = COMMITTED.production.document;

export const DOCUMENTS = Object.values(COMMITTED).map(({ document }) => document);

function read(file: string): CommittedDocument {
  const text = readFileSync(join(import.meta.dir, '..', '..', file), 'utf8');
  return { text, document: JSON.parse(text) };
}

/** The operation with this id, with its path and method, and the API whose document has it. */
export function operationOf(
  id: OperationId,
): OperationObject & { api: DocumentedApi; path: string; method: string } {
  for (const api of DOCUMENTED_APIS) {
    for (const [path, methods] of Object.entries(COMMITTED[api].document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.operationId === id) return { ...operation, api, path, method };
      }
    }
  }
  throw new Error(`The documents have no operation ${id}.`);
}

/**
 * The names of schemas that code generators also give to something else: to an inline schema with an enum (`PetStatus`
 * to the field `status` of `Pet`), or to the constructor of a schema (`NewOrder` to that of `Order`).
 */
export function ambiguousNames(schemas: Readonly<Record<string, unknown>>): string[] {
  const names = Object.keys(schemas);
  const inline = Object.entries(schemas).flatMap(([name, schema]) =>
    Object.entries<object>(Object(schema).properties ?? {})
      .filter(([, field]) => 'enum' in field)
      .map(([field]) => `${name}${field}`.toLowerCase()),
  );
  const constructors = names.map((name) => `New${name}`);
  // NewPet is a name of the contract.
  return names.filter(
    (name) =>
      inline.includes(name.toLowerCase()) || (constructors.includes(name) && name !== 'NewPet'),
  );
}

const components: OpenapiDocument['components'] = {
  securitySchemes: {},
  headers: Object.assign({}, ...DOCUMENTS.map((document) => document.components.headers)),
  schemas: Object.assign({}, ...DOCUMENTS.map((document) => document.components.schemas)),
};

/** The headers of a documented reply, by name. */
export function headersOf({ headers }: ResponseObject): Readonly<Record<string, WithSchema>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { $ref }]) => {
      const header = components.headers[$ref.slice($ref.lastIndexOf('/') + 1)];
      if (!header) throw new Error(`${$ref} is not in the documents.`);
      return [name, header];
    }),
  );
}

/** The errors of a value according to a schema of the documents; empty if the value is valid. */
export function objections(schema: object, value: unknown): string[] {
  // References in the schema point to the document's components, so these are added.
  const whole = { ...schema, components };
  const [, errors] = Schema.Compile(whole).Errors(value);
  return errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
}
