import type { BlockList } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The address that a request without a valid key is counted on: the nearest one in the chain
 * `X-Forwarded-For`, then peer, that is not a trusted proxy. IPv6 counts by its /64, which is what
 * one subscriber holds.
 * @param peer the other end of the connection.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | null,
  trusted: BlockList,
): string {
  let client = parse(peer);
  if (forwardedFor === null) return client ? group(client) : 'unknown';
  const hops = forwardedFor.split(',').map((hop) => hop.trim());
  while (client && isTrusted(client, trusted)) {
    const next = parse(hops.pop() ?? '');
    if (!next) break;
    client = next;
  }
  return client ? group(client) : 'unknown';
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function parse(text: string): Address | undefined {
  // Short, octal and hexadecimal forms of IPv4 are no addresses here: "7" is not 0.0.0.7.
  const valid = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
  return valid ? ipaddr.process(text) : undefined;
}

function isTrusted(address: Address, trusted: BlockList): boolean {
  return trusted.check(address.toString(), address.kind());
}

function group(address: Address): string {
  if (!('parts' in address)) return address.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
