/** A site of another origin, whose only page is empty. */
export function otherSite(): { readonly url: string; [Symbol.dispose](): void } {
  const html = '<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1></html>';
  const headers = { 'Content-Type': 'text/html' };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(html, { headers }),
  });
  return { url: server.url.href, [Symbol.dispose]: () => void server.stop(true) };
}
