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
