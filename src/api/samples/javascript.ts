import type { SampleBody } from './sample-body.ts';
import type { SampleCall } from './sample-call.ts';

/** The request with `fetch`, as a module for browsers and for Node.js 20 or later. */
export function javascriptSample(call: SampleCall): string {
  return fetchSample(call, '_, value, context');
}

/**
 * The request with `fetch`.
 * @param parameters those of the function that reads exact integers; types, where the language has them.
 */
export function fetchSample(call: SampleCall, parameters: string): string {
  if (!call.hasResult) {
    return `${fetchLines(call)}
console.log(response.status, await response.text());`;
  }
  return `${fetchLines(call)}
${call.hasInt64 ? exactResult(parameters) : RESULT}
console.log(response.status, result);`;
}

const RESULT = 'const result = await response.json();';

function exactResult(parameters: string): string {
  return `// Integers beyond 2^53 are exact from Node.js 22 on; earlier versions round them.
const result = JSON.parse(await response.text(), (${parameters}) => {
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && context?.source ? BigInt(context.source) : value;
});`;
}

function fetchLines(call: SampleCall): string {
  const { method, baseUrl, target, body, apiKey } = call;
  const url = quoted(baseUrl + target);
  const headers = [
    `Authorization: 'Bearer ${apiKey}',`,
    ...(body ? [`'Content-Type': 'application/json',`] : []),
    ...call.generated.map((name) => `'${name}': crypto.randomUUID(),`),
    ...Object.entries(call.headers).map(([name, value]) => `'${name}': ${quoted(value)},`),
  ];
  return `const response = await fetch(${url}, {
${method === 'GET' ? '' : `  method: '${method}',\n`}  headers: {
${headers.map((header) => `    ${header}\n`).join('')}  },
${body ? `  body: ${bodySource(body)},\n` : ''}});`;
}

/** `JSON.stringify` rounds numbers beyond a double, so such a body is written as text. */
function bodySource({ fields, isDouble, text }: SampleBody): string {
  return fields && isDouble ? `JSON.stringify(${javascriptLiteral(fields)})` : quoted(text);
}

/** A JSON value as JavaScript source code. Integers may be bigints. */
export function javascriptLiteral(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(javascriptLiteral).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${memberName(name)}: ${javascriptLiteral(member)}`,
  );
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}';
}

function memberName(name: string): string {
  // Without brackets this one would set the prototype.
  if (name === '__proto__') return `['${name}']`;
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name);
}

export function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}
