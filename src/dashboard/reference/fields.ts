import type { NamedSchema } from '../../api/resources.ts';
import { type Html, html } from '../pages/html.ts';
import { prose } from './prose.ts';

/** A parameter, or a field of a body. */
interface Field {
  readonly name: string;
  /** Type, bounds, default and location, as text. */
  readonly facts: readonly string[];
  /** The mark of the less common case: `required` in requests, `optional` in replies. */
  readonly mark: 'required' | 'optional' | '';
  /** Markdown. */
  readonly description: string;
  readonly fields?: readonly Field[];
}

/**
 * A list of parameters or fields, each with an anchor.
 * @param prefix of the id of each anchor, such as `parameter`.
 */
export function fieldList(fields: readonly Field[], prefix: string, basePath: string): Html {
  return html`<ul class="fields">
${fields.map((field) => fieldItem(field, prefix, basePath))}
</ul>`;
}

function fieldItem(field: Field, prefix: string, basePath: string): Html {
  const id = `${prefix}-${field.name}`;
  return html`<li id="${id}">
<p class="field"><a class="anchor" href="#${id}"><code>${field.name}</code></a>
<span class="dimmed">${field.facts.join(', ')}</span>${field.mark === '' ? '' : html` <span class="required">${field.mark}</span>`}</p>
${prose(field.description, basePath)}
${field.fields?.length ? fieldList(field.fields, id, basePath) : ''}
</li>`;
}

/**
 * The fields of an object, or of the objects in an array, nested objects included.
 * @param marked whether required or optional fields are marked.
 */
export function fieldsOf(schema: NamedSchema, marked: 'required' | 'optional'): Field[] {
  const { properties = {}, required = [] } = schema.items ?? schema;
  return Object.entries(properties).map(([name, property]) => ({
    name,
    facts: factsOf(property),
    mark: required.includes(name) === (marked === 'required') ? marked : '',
    description: property.description,
    fields: fieldsOf(property, marked),
  }));
}

/** The keywords of a JSON Schema, other than the fields. */
interface Facts {
  readonly type?: unknown;
  readonly format?: unknown;
  readonly enum?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly minLength?: unknown;
  readonly maxLength?: unknown;
  readonly default?: unknown;
}

/** The type of a value, its bounds and its default, as text. */
export function factsOf(schema: Facts): string[] {
  const { type, format, enum: values, default: usual } = schema;
  return [
    type === 'bigint' ? 'integer, int64' : [type].flat().join(' or '),
    ...(typeof format === 'string' ? [format] : []),
    ...(Array.isArray(values) ? [`one of ${values.join(', ')}`] : []),
    ...bounds(schema.minimum, schema.maximum, ''),
    ...bounds(schema.minLength, schema.maxLength, ' characters'),
    ...(usual === undefined ? [] : [`default ${usual}`]),
  ];
}

function bounds(least: unknown, most: unknown, unit: string): string[] {
  const [from, to] = [least, most].map((bound) =>
    typeof bound === 'number' ? bound.toLocaleString('en') : undefined,
  );
  if (to !== undefined) return [`${from ?? 0} to ${to}${unit}`];
  return from === undefined ? [] : [`at least ${from}${unit}`];
}
