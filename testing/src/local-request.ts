import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request to the service, which is on this machine. */
interface LocalRequest {
  readonly method: string;
  readonly url: string;
  readonly token: string;
  /** Sent as JSON. */
  readonly body?: object | undefined;
}

/**
 * Sends a request without a proxy: `fetch` would use the one that `HTTP_PROXY` names in some runtimes.
 * @throws Error if there is no reply.
 */
export async function sendLocally({ method, url, token, body }: LocalRequest): Promise<Response> {
  // An agent of its own, because the global one may use proxies, too.
  const agent = new Agent();
  try {
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(body && { 'Content-Type': 'application/json' }),
    };
    const sent = request(url, { method, headers, agent });
    sent.end(body && JSON.stringify(body));
    const [reply]: IncomingMessage[] = await once(sent, 'response');
    if (reply === undefined) throw new Error(`${url} sent no reply.`);
    const content = await text(reply);
    return new Response(content === '' ? null : content, {
      status: reply.statusCode ?? 0,
      headers: new Headers(
        Object.entries(reply.headers).map(([name, value]) => [name, `${value}`]),
      ),
    });
  } finally {
    agent.destroy();
  }
}
