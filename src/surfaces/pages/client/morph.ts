import { Idiomorph } from 'idiomorph';

/** A page that was fetched, or the reason why there is none. */
export type FetchedPage =
  | { readonly document: Document; readonly address: string; readonly status: number }
  | { readonly error: string; readonly reason?: 'offline' | 'signed out' };

/** How long a page may take, in milliseconds. A connection that is lost silently would otherwise be awaited forever. */
const PAGE_MILLISECONDS = 60_000;

/** How a page is fetched. */
interface FetchPageOptions extends Omit<RequestInit, 'headers' | 'signal'> {
  readonly staysSignedOut?: boolean;
  /** How long it may take. */
  readonly milliseconds?: number;
}

/**
 * Fetches a page of this server. If the session has ended, the page for signing in is opened, unless the page has
 * something to keep (`staysSignedOut`). A connection that ends in the middle of the page, or takes too long, is an
 * error, too.
 */
export async function fetchPage(
  address: string | URL,
  { staysSignedOut = false, milliseconds = PAGE_MILLISECONDS, ...options }: FetchPageOptions = {},
): Promise<FetchedPage> {
  let response: Response;
  let text: string;
  const limit = AbortSignal.timeout(milliseconds);
  try {
    response = await fetch(address, { ...options, headers: { Accept: 'text/html' }, signal: limit });
    text = await response.text();
  } catch {
    if (limit.aborted) return { error: 'The server did not answer in time. Try again.' };
    return { error: 'No connection to the server. What you see may be out of date.', reason: 'offline' };
  }
  if (response.redirected && new URL(response.url).pathname === '/signin') {
    if (!staysSignedOut) location.assign(response.url);
    return { error: 'Your session has ended.', reason: 'signed out' };
  }
  const type = response.headers.get('Content-Type') ?? '';
  if (!type.startsWith('text/html')) return { error: `The server answered ${response.status}.` };
  return {
    document: new DOMParser().parseFromString(text, 'text/html'),
    address: response.url,
    status: response.status,
  };
}

/**
 * Makes an element of this page like the one with the same id in a fetched page. What the user typed, the focus and the
 * scroll positions stay. Custom elements that remain are not connected anew.
 */
export function morphElement(fetched: Document, id: string): boolean {
  const [current, next] = [document.getElementById(id), fetched.getElementById(id)];
  if (!current || !next) return false;
  morphInto(current, next);
  return true;
}

/** Makes an element of this page like another one, as {@link morphElement} does. */
export function morphInto(current: Element, next: Element): void {
  void Idiomorph.morph(current, next, { restoreFocus: true, ignoreActiveValue: true });
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
