import ipaddr from 'ipaddr.js';

const ALL_ADDRESSES_OF_IPV4 = '0.0.0.0';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network in CIDR notation. */
export interface AddressRange {
  readonly first: Address;
  /** Leading bits that its addresses share. */
  readonly bits: number;
}

/** Parses an IP address; `undefined` if it is not one. An IPv4-mapped IPv6 address becomes IPv4. */
export function parseAddress(text: string): Address | undefined {
  // Short, octal and hexadecimal forms of IPv4 are refused: "7" is not taken for 0.0.0.7.
  const isValid = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
  return isValid ? ipaddr.process(text) : undefined;
}

/** Parses an address, or a range such as `10.0.0.0/8`; `undefined` if it is neither. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const address = parseAddress(text);
  if (address) return { first: address, bits: address.kind() === 'ipv6' ? 128 : 32 };
  const isValid = ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text);
  if (!isValid) return undefined;
  const [first, bits] = ipaddr.parseCIDR(text);
  const isMapped = first instanceof ipaddr.IPv6 && first.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? { first: first.toIPv4Address(), bits: bits - 96 } : { first, bits };
}

/** Whether the address is in one of the ranges. */
export function isWithin(address: Address, ranges: readonly AddressRange[]): boolean {
  return ranges.some(
    ({ first, bits }) => address.kind() === first.kind() && address.match(first, bits),
  );
}

/** Whether a host is a loopback address of this machine, or `localhost`. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[?::1\]?)$/.test(host);
}

/**
 * Whether a host is this machine: a loopback address, or a name below `localhost`, which browsers never ask a name
 * server for (RFC 6761, 6.3). Other programs may ask one, so such a name is no protection for what they send.
 */
export function isLocalHost(host: string): boolean {
  return isLoopback(host) || /^(?:[^.]+\.)*localhost\.?$/.test(host);
}

/** Whether the host is the address that stands for all addresses of this machine: `::` of both families. */
export function isWildcard(host: string): boolean {
  const bytes = parseAddress(host)?.toByteArray();
  return bytes?.every((byte) => byte === 0) === true;
}

/**
 * Listens on this host. On a machine without IPv6, which refuses `::`, listens on all its addresses of IPv4.
 * @param listen may throw the error of the system.
 */
export function listenOn<Server>(host: string, listen: (host: string) => Server): Server {
  try {
    return listen(host);
  } catch (error) {
    const lacksFamily = error instanceof Error && 'code' in error && error.code === 'EAFNOSUPPORT';
    if (!lacksFamily || !isWildcard(host) || host === ALL_ADDRESSES_OF_IPV4) throw error;
    return listen(ALL_ADDRESSES_OF_IPV4);
  }
}
