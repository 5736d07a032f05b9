import { Idiomorph } from 'idiomorph';

/** A page that was fetched, or the reason why there is none. */
export type FetchedPage = { readonly document: Document; readonly address: string } | { readonly error: string };

/**
 * Fetches a page of this server. A page that needs the user to sign in, or to go elsewhere, is opened instead.
 */
export async function fetchPage(
  address: string | URL,
  options: Omit<RequestInit, 'headers'> = {},
): Promise<FetchedPage> {
  let response: Response;
  try {
    response = await fetch(address, { ...options, headers: { Accept: 'text/html' } });
  } catch {
    return { error: 'No connection to the server. What you see is from before.' };
  }
  if (response.redirected && new URL(response.url).pathname === '/signin') {
    location.assign(response.url);
    return { error: 'Your session has ended.' };
  }
  const type = response.headers.get('Content-Type') ?? '';
  if (!type.startsWith('text/html')) return { error: `The server answered ${response.status}.` };
  const text = await response.text();
  return { document: new DOMParser().parseFromString(text, 'text/html'), address: response.url };
}

/**
 * Makes an element of this page like the one with the same id in a fetched page. What the user typed, the focus and the
 * scroll positions stay. Custom elements that remain are not connected anew.
 */
export function morphElement(fetched: Document, id: string): boolean {
  const [current, next] = [document.getElementById(id), fetched.getElementById(id)];
  if (!current || !next) return false;
  void Idiomorph.morph(current, next, { restoreFocus: true, ignoreActiveValue: true });
  return true;
}

/**
 * Goes to another page of the same kind by changing this one: fetches it, changes `#main`, the title and the address.
 * Falls back to opening it. Returns whether the page is shown.
 */
export async function goTo(address: string, history: 'push' | 'replace' | 'none' = 'push'): Promise<boolean> {
  const fetched = await fetchPage(address);
  if ('error' in fetched || !morphElement(fetched.document, 'main')) {
    location.assign(address);
    return false;
  }
  document.title = fetched.document.title;
  if (history === 'push') window.history.pushState({}, '', fetched.address);
  else if (history === 'replace') window.history.replaceState({}, '', fetched.address);
  const trail = document.querySelector('.crumb-trail');
  const next = fetched.document.querySelector('.crumb-trail');
  if (trail && next) void Idiomorph.morph(trail, next);
  document.dispatchEvent(new CustomEvent('page-shown'));
  return true;
}
