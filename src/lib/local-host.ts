/** Whether a host name or address is a loopback address of this machine. */
export function isLocalHost(host: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[?::1\]?)$/.test(host);
}
