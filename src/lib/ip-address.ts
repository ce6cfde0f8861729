import ipaddr from 'ipaddr.js';

/** The address of a machine. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** All addresses that begin with the same bits. */
export interface AddressRange {
  readonly first: Address;
  /** How many bits they share. */
  readonly bits: number;
}

/** An IPv4 address in IPv6's clothes gives the IPv4 address; what is no address gives `undefined`. */
export function parseAddress(text: string): Address | undefined {
  // Short, octal and hexadecimal forms of IPv4 are no addresses here: "7" is not 0.0.0.7.
  const valid = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
  return valid ? ipaddr.process(text) : undefined;
}

/** An address, or a range such as `10.0.0.0/8`; what is neither gives `undefined`. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [written = '', bits, ...rest] = text.split('/');
  const first = parseAddress(written);
  if (!first || rest.length > 0) return undefined;
  const longest = first.kind() === 'ipv6' ? 128 : 32;
  if (bits === undefined) return { first, bits: longest };
  // The bits of an IPv4 address in IPv6's clothes count from the beginning of the clothes.
  const clothes = longest === 32 && written.includes(':') ? 96 : 0;
  const shared = /^\d{1,3}$/.test(bits) ? Number(bits) - clothes : Number.NaN;
  return shared >= 0 && shared <= longest ? { first, bits: shared } : undefined;
}

/** Whether the address is in one of the ranges. */
export function isWithin(address: Address, ranges: readonly AddressRange[]): boolean {
  return ranges.some(
    ({ first, bits }) => address.kind() === first.kind() && address.match(first, bits),
  );
}
