import { LRUCache } from 'lru-cache';
import { type Address, type AddressRange, isWithin, parseAddress } from '../../lib/ip-address.ts';

/** Caches addresses by peer: parsing one would take longer than the rest of refusing a request. */
const directClients = new LRUCache<string, string>({ max: 10_000 });

/**
 * The address by which requests without a valid key are limited: the nearest one that is not a trusted proxy,
 * from the peer back through `X-Forwarded-For`. An entry that is not an address ends the search at the proxy
 * that forwarded it. IPv6 addresses are grouped by /64, the size of one subscriber's network.
 * @param peer address of the other end of the connection.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | null,
  trusted: readonly AddressRange[],
): string {
  if (forwardedFor === null) return directClients.get(peer) ?? directClient(peer);
  let client = parseAddress(peer);
  // Read from the end, entry by entry: all entries before that of the client are its own, and may be many.
  let rest = forwardedFor;
  for (let hops = 0; hops < MAX_HOPS && client && isWithin(client, trusted); hops += 1) {
    const comma = rest.lastIndexOf(',');
    const next = parseAddress(withoutPort(rest.slice(comma + 1).trim()));
    if (!next) break;
    client = next;
    rest = rest.slice(0, Math.max(comma, 0));
  }
  return client ? group(client) : 'unknown';
}

/** Maximum number of entries of `X-Forwarded-For` that are read: no chain of proxies is longer. */
const MAX_HOPS = 32;

/** Some proxies append the client's port, as in `192.0.2.1:1234` and `[2001:db8::1]:443`. */
const ADDRESS_WITH_PORT = /^(?:([\d.]+):\d{1,5}|\[([^\]]+)\](?::\d{1,5})?)$/;

function withoutPort(hop: string): string {
  const [, v4, v6] = ADDRESS_WITH_PORT.exec(hop) ?? [];
  return v4 ?? v6 ?? hop;
}

/** The client of a request that no proxy forwarded. */
function directClient(peer: string): string {
  const address = parseAddress(peer);
  const client = address ? group(address) : 'unknown';
  directClients.set(peer, client);
  return client;
}

function group(address: Address): string {
  if (!('parts' in address)) return address.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
