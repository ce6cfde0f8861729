import { type Address, type AddressRange, isWithin, parseAddress } from '../lib/ip-address.ts';

/**
 * The address by which requests without a valid key are limited: the nearest one that is not a trusted
 * proxy, from the peer back through `X-Forwarded-For`. An entry that is not an address ends the search at
 * the proxy that forwarded it. IPv6 is grouped by /64, which is what one subscriber holds.
 * @param peer address of the other end of the connection.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | null,
  trusted: readonly AddressRange[],
): string {
  let client = parseAddress(peer);
  if (forwardedFor === null) return client ? group(client) : 'unknown';
  const hops = forwardedFor.split(',').map((hop) => hop.trim());
  while (client && isWithin(client, trusted)) {
    const next = parseAddress(hops.pop() ?? '');
    if (!next) break;
    client = next;
  }
  return client ? group(client) : 'unknown';
}

function group(address: Address): string {
  if (!('parts' in address)) return address.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
