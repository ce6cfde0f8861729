import { CROSS_ORIGIN, isPreflight, preflightHeaders } from '../http/reply/cross-origin.ts';
import { limitHeaders } from '../http/reply/reply.ts';
import { type LazyParts, lazyImport } from '../lib/lazy.ts';
import { createApi } from './api/api.ts';
import { errorReply, UNCACHED } from './errors.ts';
import { LiveChannel } from './live/live-channel.ts';
import { MCP_PATH } from './mcp-path.ts';
import type { DashboardOptions, Pages } from './options.ts';
import { PAGE_COSTS, PageLimits, pageCost } from './pages/page-limits.ts';
import { createPages } from './pages/pages.ts';
import { tooManyPages } from './pages/problems.ts';
import { RefusedRequests } from './refused-requests.ts';
import { RequestLimits, tooManyRequests } from './request-limits.ts';
import { foreignRefusal, secured } from './security.ts';
import type { SignIn } from './session.ts';
import { PAGE_TITLES } from './shared/page-titles.ts';
import { isServedPage } from './shared/unserved.ts';

const loadSignIn = lazyImport(() => import('./sign-in/sign-in.ts'));
const loadMcpEndpoint = lazyImport(() => import('./mcp-endpoint.ts'));

/**
 * The dashboard: pages for sign-in, keys, usage, inbox and API reference, and their API.
 * @param parts to which the parts of the dashboard are added that are created later.
 */
export function createDashboard(options: DashboardOptions, parts: LazyParts): Pages {
  let opened: SignIn | undefined;
  const signIn = parts.add(async () => {
    const { createSignIn } = await loadSignIn();
    opened = await createSignIn(options);
    return opened;
  });
  const live = new LiveChannel(options, signIn);
  const api = createApi(options, signIn, live);
  const isOperator = async ({ headers }: Request) => {
    try {
      return (await (await signIn()).session(headers))?.account.role === 'operator';
    } catch {
      // Pages work without the store.
      return false;
    }
  };
  const servePage = limitedPages({ ...options, isOperator }, parts);
  const { clock, log } = options;
  const requestLimits = new RequestLimits(options.attempts);
  const refusals = new RefusedRequests(options);
  const dashboardUrl = options.addresses.dashboard;

  const serveApi = async (request: Request, path: string, address: string) => {
    const { session: findSession, handle } = await signIn();
    const refusal = foreignRefusal(request, dashboardUrl);
    // A request that another site triggers counts towards the client's address, whatever cookies it
    // carries.
    const session = refusal ? undefined : await findSession(request.headers);
    const now = clock.now();
    const limits = await requestLimits.take(request, path, session, address, now);
    const answer = () => {
      if (limits.outcome !== 'admitted') throw tooManyRequests(limits, now);
      if (refusal) throw refusal;
      if (!path.startsWith('/auth/')) return api.handle(request, path, session, address);
      return handle(request, path.slice('/auth'.length), address);
    };
    const report = refusals.of({ request, path: `/api${path}`, address, session });
    return withLimits(await orErrorReply(answer, log, report), limitHeaders(limits, now));
  };
  const mcp = parts.add(async () => {
    const { createMcpEndpoint } = await loadMcpEndpoint();
    return createMcpEndpoint(options, requestLimits);
  });
  const route = async (...[request, path, address, forward]: Parameters<Pages['handle']>) => {
    if (path === MCP_PATH) return (await mcp())(request, address, forward);
    if (!isOwnApi(path)) return servePage(request, path, address());
    return serveApi(request, path.slice('/api'.length), address());
  };
  return {
    baseUrl: dashboardUrl,
    async handle(...given) {
      const [request, path, address] = given;
      const isPublic = !isOwnApi(path) && !isOwnPage(path, options.contract);
      if (isPublic && isPreflight(request)) return secured(preflightReply(request), dashboardUrl);
      const report = refusals.of({ request, path, address: address() });
      const reply = await orErrorReply(() => route(...given), log, report);
      if (isPublic && isReadableElsewhere(path, reply)) allowOtherOrigins(request, reply);
      return secured(reply, dashboardUrl);
    },
    moveSecondFactors: async () => (await signIn()).moveSecondFactors(),
    endStreams: (isLast) => live.end(isLast),
    close: async () => opened?.close(),
  };
}

/** The pages, up to the limits of the client's address. */
function limitedPages(
  options: DashboardOptions & Parameters<typeof createPages>[0],
  parts: LazyParts,
) {
  const pages = createPages(options, parts);
  const limits = new PageLimits();
  return async (request: Request, path: string, address: string): Promise<Response> => {
    const now = options.clock.now();
    const result = limits.take(address, pageCost(path), now);
    if (result.outcome !== 'admitted') return tooManyPages(request, result, now);
    const reply = await pages.handle(request, path);
    // The page that tells of an unknown address is rendered for the request, too.
    if (reply.status === 404) limits.take(address, PAGE_COSTS.rendered, now);
    return reply;
  };
}

/** Whether a path belongs to the API of the dashboard's own pages, which pages of other origins may not call. */
function isOwnApi(path: string): boolean {
  return path === '/api' || path.startsWith('/api/');
}

/** Whether a page of the application is at a path. */
function isOwnPage(path: string, { operationIds }: DashboardOptions['contract']): boolean {
  return PAGE_TITLES.has(path) && isServedPage(path, operationIds);
}

/** Whether pages of other origins may read a reply: of the tools, or to a request that missed the API. */
function isReadableElsewhere(path: string, { status }: Response): boolean {
  return path === MCP_PATH || [404, 405, 429].includes(status);
}

function preflightReply(request: Request): Response {
  const reply = new Response(null, {
    status: 204,
    headers: { ...UNCACHED, ...preflightHeaders(request, 'GET, HEAD, POST', false) },
  });
  allowOtherOrigins(request, reply);
  return reply;
}

function allowOtherOrigins({ headers }: Request, reply: Response): void {
  if (!headers.has('origin')) return;
  for (const [name, value] of Object.entries(CROSS_ORIGIN)) reply.headers.set(name, value);
}

/** The reply of `answer`, or the error reply if it throws, which `report` gets, too. */
async function orErrorReply(
  answer: () => Promise<Response>,
  log: DashboardOptions['log'],
  report: (error: unknown) => void,
): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    report(error);
    return errorReply(error, log);
  }
}

/** Adds the headers of the limits; a refusal that describes another limit keeps its own. */
function withLimits(reply: Response, limits: Readonly<Record<string, string>>): Response {
  if (reply.headers.has('X-RateLimit-Limit')) return reply;
  for (const [name, value] of Object.entries(limits)) reply.headers.set(name, value);
  return reply;
}
