import { useEffect, useState } from 'react';

/**
 * The token of the link that opened the page; '' if there is none. It is removed from the address
 * immediately, so that neither the history nor the address bar shows it.
 */
export function useLinkToken(): string {
  const [token] = useState(
    () => readToken(window.location.hash) || readToken(window.location.search),
  );
  useEffect(() => {
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }, []);
  return token;
}

function readToken(part: string): string {
  return new URLSearchParams(part.slice(1)).get('token') ?? '';
}
