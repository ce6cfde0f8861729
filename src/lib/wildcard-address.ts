import { parseAddress } from './ip-address.ts';

const ALL_ADDRESSES_OF_IPV4 = '0.0.0.0';

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
