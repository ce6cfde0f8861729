import type { Contract } from '../../api/operations.ts';
import { REVALIDATED } from '../../http/reply/entity-tag.ts';
import { type LazyParts, lazyValue } from '../../lib/lazy.ts';
import type { DashboardOptions } from '../options.ts';
import { framed } from '../reference/frame.ts';
import type { ServiceFacts } from '../reference/guides/guide.ts';
import { REFERENCE_PATHS } from '../reference/paths.ts';
import { referencePages } from '../reference/reference.ts';
import { createSearch, type Search } from '../search/search.ts';
import { queryOf, searchPage } from '../search/search-page.ts';
import { pagePolicy, referencePolicy, writePolicy } from '../security.ts';
import { pageTitle } from '../shared/page-titles.ts';
import { SEARCH_INDEX_PATH, SEARCH_PATH } from '../shared/search.ts';
import { isServedPage } from '../shared/unserved.ts';
import { ASSETS, type AssetFile } from './asset-files.ts';
import { type AssetSource, ownAssets } from './asset-source.ts';
import { type ServeDocument, served, servedDocuments } from './documents.ts';
import type { Html } from './html.ts';
import { problem } from './problems.ts';
import { canonicalAddress } from './redirect.ts';
import { dashboardPage, notFoundPage, type PageParts, type Reader } from './shell.ts';

function isApplicationPath(path: string, { operationIds }: Contract): boolean {
  return pageTitle(path) !== undefined && isServedPage(path, operationIds);
}

function isPage(path: string, contract: Contract): boolean {
  return REFERENCE_PATHS.has(path) || path === SEARCH_PATH || isApplicationPath(path, contract);
}

/** The redirect to the address of a page, if the request has another one. */
function redirectOf(
  request: Request,
  path: string,
  { addresses, contract }: Pick<ServiceFacts, 'addresses' | 'contract'>,
): Response | undefined {
  const canonical = canonicalAddress(request, path, addresses.dashboard, (each) =>
    isPage(each, contract),
  );
  if (canonical === undefined) return undefined;
  return new Response(null, { status: 307, headers: { Location: canonical } });
}

/**
 * Its value is not checked: it only selects the frame that is shown until the script has loaded the
 * session.
 */
const SESSION_COOKIE = /(?:^|;\s*)(?:__Host-)?petstore_session=/;

/** Everything that people and agents read: the application, the reference, and their assets. */
interface DashboardPages {
  /** @param path below the dashboard's address. */
  handle(request: Request, path: string): Promise<Response>;
}

interface PagesOptions extends ServiceFacts, Pick<DashboardOptions, 'connections' | 'bundle'> {
  /** Whether a request with a session cookie is an operator's; by default none is. */
  isOperator?(request: Request): Promise<boolean>;
}

/** Idle timeout of a connection while the pages are prepared, in seconds. */
const PREPARATION_SECONDS = 200;

/**
 * The pages.
 * @param lazyParts to which the bundle is added: it is found right after the start if it was kept, and otherwise made
 *   once the service is ready.
 */
export function createPages(
  options: PagesOptions,
  lazyParts: LazyParts,
  source: AssetSource = ownAssets(options.bundle),
): DashboardPages {
  const { addresses, contract, banPolicy, anonymousLimits, connections } = options;
  const basePath = new URL(addresses.dashboard).pathname.replace(/\/$/, '');
  const facts = { addresses, contract, banPolicy, anonymousLimits };
  const documents = servedDocuments(facts);
  const search = lazyValue(() => createSearch(facts));
  const searchIndex = served('application/json', () => search().index);
  let isPrepared = false;
  const preparation = lazyParts.addForLater(async () => {
    const { assets, files } = await source.load();
    const parts = { ...facts, assets, basePath };
    const reference = servedReference(parts);
    isPrepared = true;
    return { parts, files, reference };
  });
  lazyParts.add(async () => {
    if (await source.find()) await preparation();
  });
  const prepared = (request: Request) => {
    // On a slow machine bundling takes longer than an idle connection stays open.
    if (!isPrepared) connections.closeAfter(request, PREPARATION_SECONDS);
    return preparation();
  };
  const isOperator = async (request: Request) =>
    hasSession(request) && ((await options.isOperator?.(request)) ?? false);
  const find = async (path: string, request: Request) => {
    const document = documents.get(path);
    if (document) return () => document(request);
    if (path === SEARCH_INDEX_PATH) return () => searchIndex(request);
    const { parts, files, reference } = await prepared(request);
    if (path === SEARCH_PATH) {
      return async () => showSearch(request, search(), parts, await isOperator(request));
    }
    const page = reference.get(path);
    if (page) return () => page(request);
    if (isApplicationPath(path, contract))
      return () => showDashboard(parts, readerOf(request, path));
    if (path === '/favicon.ico')
      return () => faviconReply(files.get(parts.assets.favicon), request);
    const file = path.startsWith(ASSETS) && files.get(path.slice(ASSETS.length));
    return file ? () => file.reply(request) : undefined;
  };
  return {
    async handle(request, given) {
      const path = given === '' ? '/' : given;
      const redirect = redirectOf(request, path, facts);
      if (redirect) return redirect;
      const serve = await find(path, request);
      if (!serve) return notFound(request, (await prepared(request)).parts, path);
      if (request.method === 'GET' || request.method === 'HEAD') return serve();
      const message = `Only GET and HEAD are served at ${path}.`;
      return problem('method_not_allowed', message, { Allow: 'GET, HEAD' });
    },
  };
}

/** The icon for browsers that do not read the SVG. Its address does not change with its content. */
async function faviconReply(file: AssetFile | undefined, request: Request): Promise<Response> {
  if (!file) throw new Error('The bundle has no icon.');
  const reply = await file.reply(request);
  reply.headers.set('Cache-Control', REVALIDATED);
  return reply;
}

function readerOf(request: Request, path: string): Reader {
  return { path, hasSession: hasSession(request) };
}

function hasSession({ headers }: Request): boolean {
  return SESSION_COOKIE.test(headers.get('cookie') ?? '');
}

function showDashboard(parts: PageParts, reader: Reader): Response {
  const nonce = crypto.getRandomValues(new Uint8Array(18)).toBase64();
  return show(dashboardPage(parts, reader, nonce), parts, [`'nonce-${nonce}'`]);
}

/** These pages are the same for every reader, so each is rendered and compressed once, when it is first read. */
function servedReference(parts: PageParts): ReadonlyMap<string, ServeDocument> {
  const headers = { 'Content-Security-Policy': writePolicy(referencePolicy(parts.addresses)) };
  return new Map(
    Array.from(referencePages(parts), ([path, write]) => [
      path,
      served('text/html; charset=utf-8', write, headers),
    ]),
  );
}

function showSearch(
  request: Request,
  search: Search,
  parts: PageParts,
  isOperator: boolean,
): Response {
  const query = queryOf(request);
  const page = framed(parts, searchPage(query, search.find(query, isOperator), parts));
  return new Response(page.text, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': writePolicy(referencePolicy(parts.addresses, "'self'")),
    },
  });
}

function notFound(request: Request, parts: PageParts, path: string): Response {
  const { dashboard, production } = parts.addresses;
  const message = `Nothing is served at ${path}. See ${dashboard}/docs. The API is at ${production}.`;
  return wantsJson(request)
    ? problem('not_found', message)
    : show(notFoundPage(parts, readerOf(request, path)), parts, [], 404);
}

function show(page: Html, { addresses }: PageParts, styles: string[], status = 200): Response {
  return new Response(page.text, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      // The page may contain a nonce, and refers to files that the next version may not have.
      'Cache-Control': 'no-store',
      'Content-Security-Policy': writePolicy(pagePolicy(addresses, styles)),
    },
  });
}

function wantsJson(request: Request): boolean {
  const accepted = request.headers.get('accept') ?? '';
  return accepted.includes('application/json') && !accepted.includes('text/html');
}
