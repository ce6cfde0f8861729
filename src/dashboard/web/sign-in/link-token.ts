import { useEffect, useState } from 'react';

/**
 * The token of the link that led here, '' without one. It is taken out of the address at once: out
 * of the history, and of what a person may copy from the address bar.
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
