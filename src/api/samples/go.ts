import type { SampleCall } from './sample-call.ts';

/** The request as a program in Go 1.24 or later, with its standard library. */
export function goSample(call: SampleCall): string {
  const { method, baseUrl, target, body, apiKey, generated } = call;
  const packages = [
    ...(generated.length > 0 ? ['crypto/rand'] : []),
    ...(call.hasResult ? ['encoding/json'] : []),
    ...['fmt', 'log', 'net/http'],
    ...(body ? ['strings'] : []),
  ];
  const headers = [
    `"Authorization", "Bearer ${apiKey}"`,
    ...(body ? ['"Content-Type", "application/json"'] : []),
    ...generated.map((name) => `"${name}", rand.Text()`),
    ...Object.entries(call.headers).map(([name, value]) => `"${name}", ${goString(value)}`),
  ];
  const content = body ? `strings.NewReader(${goString(body.text)})` : 'nil';
  return `package main

import (
${packages.map((name) => `\t"${name}"\n`).join('')})

func main() {
	request, err := http.NewRequest("${method}", "${baseUrl}${target}", ${content})
	if err != nil {
		log.Fatal(err)
	}
${headers.map((header) => `\trequest.Header.Set(${header})\n`).join('')}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()

${call.hasResult ? DECODED : '\tfmt.Println(response.Status)'}
}`;
}

/** Prints the body of the reply. */
const DECODED = `	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber() // Integers keep all of their digits.
	var result any
	if err := decoder.Decode(&result); err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.StatusCode, result)`;

/** A raw string cannot hold a backquote, and not every control or format character. */
function goString(text: string): string {
  if (!/[`\p{Cc}\p{Cf}]/u.test(text)) return `\`${text}\``;
  return JSON.stringify(text).replaceAll('\uFEFF', '\\uFEFF');
}
