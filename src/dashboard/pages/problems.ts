import { ERRORS, type ErrorCode } from '../../core/errors.ts';
import type { RateLimitResult } from '../../core/limits/rate-limit.ts';
import { refusalHeaders } from '../../http/reply/reply.ts';
import type { Instant } from '../../lib/clock.ts';
import { describeWait } from '../describe-wait.ts';
import { html } from './html.ts';

/**
 * In the format of the API's errors: a program that requests this path is most likely looking for
 * the API.
 */
export function problem(
  code: ErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { status } = ERRORS[code];
  const all = { 'Cache-Control': 'no-store', ...headers };
  return Response.json({ code, message, status }, { status, headers: all });
}

/**
 * The refusal of a request when the units of its address are used up (`PageLimits`): a page for
 * browsers, JSON for programs. The page loads nothing, because that would be refused as well.
 */
export function tooManyPages(request: Request, result: RateLimitResult, now: Instant): Response {
  const headers = refusalHeaders(result, now);
  const message =
    'Too many pages were requested from your network address. ' +
    `Wait ${describeWait(result.resetIn)}, then try again.`;
  if (!request.headers.get('accept')?.includes('text/html')) {
    return problem('rate_limited', message, headers);
  }
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Too many requests · Petstore</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
</head>
<body>
<main>
<h1>Too many requests</h1>
<p>${message}</p>
</main>
</body>
</html>
`;
  const all = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' };
  return new Response(page.text, {
    status: ERRORS.rate_limited.status,
    headers: { ...all, ...headers },
  });
}
