import type { NamedSchema } from '../../api/resources.ts';
import { type Html, html } from '../pages/html.ts';
import { prose } from './prose.ts';

/** Something that is known about a value: in words, or as the values that it may have. */
type Fact = string | readonly string[];

/** A parameter, or a field of a body. */
interface Field {
  readonly name: string;
  /** Where a parameter is sent. */
  readonly place?: string;
  /** Type, bounds and default. */
  readonly facts: readonly Fact[];
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
${[...(field.place === undefined ? [] : [field.place]), ...field.facts].map(factMark)}${field.mark === '' ? '' : html` <span class="required">${field.mark}</span>`}</p>
${prose(field.description, basePath)}
${field.fields?.length ? fieldList(field.fields, id, basePath) : ''}
</li>`;
}

function factMark(fact: Fact): Html {
  if (typeof fact === 'string') return html`<span class="fact">${fact}</span>`;
  return html`<span class="fact">one of ${fact.map((value) => html`<code>${value}</code>`)}</span>`;
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
  readonly pattern?: unknown;
  readonly default?: unknown;
}

/** The type of a value, its bounds and its default. */
export function factsOf(schema: Facts): Fact[] {
  const { type, format, enum: values, default: usual } = schema;
  return [
    type === 'bigint' ? 'integer int64' : [type].flat().join(' or '),
    ...(typeof format === 'string' ? [format] : []),
    ...(Array.isArray(values) ? [values.map(String)] : []),
    ...bounds(schema.minimum, schema.maximum, ''),
    ...bounds(schema.minLength, schema.maxLength, ' characters'),
    ...(isReadable(schema.pattern) ? [`matches ${schema.pattern}`] : []),
    ...(usual === undefined ? [] : [`default ${usual}`]),
  ];
}

/** Whether a reader sees what a regular expression means; the description of a field says it otherwise. */
function isReadable(pattern: unknown): pattern is string {
  return typeof pattern === 'string' && /^[!-~]{1,40}$/.test(pattern);
}

function bounds(least: unknown, most: unknown, unit: string): string[] {
  const [from, to] = [least, most].map((bound) =>
    typeof bound === 'number' ? bound.toLocaleString('en') : undefined,
  );
  if (to !== undefined) return [`${from ?? 0} to ${to}${unit}`];
  return from === undefined
    ? []
    : [`at least ${from}${least === 1 ? unit.replace(/s$/, '') : unit}`];
}
