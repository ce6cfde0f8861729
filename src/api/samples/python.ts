import type { SampleBody } from './sample-body.ts';
import type { SampleCall } from './sample-call.ts';

/** The request with Python's standard library. Its integers keep all of their digits. */
export function pythonSample(call: SampleCall): string {
  const { method, baseUrl, target, body, apiKey, generated } = call;
  const headers = [
    `"Authorization": "Bearer ${apiKey}",`,
    ...(body ? ['"Content-Type": "application/json",'] : []),
    ...generated.map((name) => `"${name}": str(uuid.uuid4()),`),
    ...Object.entries(call.headers).map(([name, value]) => `"${name}": ${JSON.stringify(value)},`),
  ];
  const isJsonUsed = body?.fields !== undefined || call.hasResult;
  return `${isJsonUsed ? 'import json\n' : ''}import urllib.request
${generated.length > 0 ? 'import uuid\n' : ''}
request = urllib.request.Request(
    "${baseUrl}${target}",
    method="${method}",
    headers={
${headers.map((header) => `        ${header}\n`).join('')}    },
${body ? `    data=${bodySource(body)}.encode(),\n` : ''})
with urllib.request.urlopen(request) as response:
    print(response.status${call.hasResult ? ', json.load(response)' : ''})`;
}

function bodySource({ fields, text }: SampleBody): string {
  return fields ? `json.dumps(${pythonLiteral(fields)})` : JSON.stringify(text);
}

/** A JSON value as Python source code. Integers may be bigints. */
function pythonLiteral(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${pythonLiteral(member)}`,
  );
  return `{${members.join(', ')}}`;
}
