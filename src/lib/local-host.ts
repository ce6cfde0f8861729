/** Whether a host name or address leads to this machine alone. */
export function isLocalHost(host: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[?::1\]?)$/.test(host);
}
