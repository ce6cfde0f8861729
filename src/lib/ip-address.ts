import ipaddr from 'ipaddr.js';

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
