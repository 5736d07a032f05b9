import { announce } from './announce.ts';
import type { ConnectionState } from './live-stream.ts';
import { LiveTabs } from './live-tabs.ts';
import { fetchPage, morphElement } from './morph.ts';

/** At least this time is between two reads of the page. */
const READ_MILLISECONDS = 1_500;
/** Changes that come together are shown together. */
const COLLECT_MILLISECONDS = 120;
/** After so long without the user, the page is not read again: that would keep the session open for nobody. */
const ABSENT_MILLISECONDS = 10 * 60_000;
/** How long after a page is shown its stream is opened: who only passes by opens none. */
const START_MILLISECONDS = 250;

const stale = new Set<string>();
let readAt = -READ_MILLISECONDS;
let seenAt = 0;
let reading: ReturnType<typeof setTimeout> | undefined;

/**
 * Keeps elements with `data-live` up to date: `data-live="foreclosure/5/message me"` with an `id`. When one of its
 * topics changes, the page is fetched again in the background. With `data-live-mode="quiet"` the element is changed in
 * place, unless the user is in it; otherwise a line above it says what is new and shows it on request. Nothing else
 * moves.
 *
 * Other scripts listen to `live-changed` on the document; its detail is the list of topics.
 */
export function watchLive(): void {
  if (!('locks' in navigator) || !('BroadcastChannel' in window)) return;
  for (const type of ['keydown', 'pointerdown', 'pointermove'])
    document.addEventListener(type, noteUser, { passive: true });
  document.addEventListener('visibilitychange', readSoon);
  document.addEventListener('focusout', () => setTimeout(readSoon));
  document.addEventListener('click', showOffered);
  let left: AbortController | undefined;
  const begin = (): void => {
    left = new AbortController();
    connect(left.signal);
  };
  // A page in the browser's history has no connection, and is read again when it comes back.
  window.addEventListener('pagehide', () => left?.abort());
  window.addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    delete document.documentElement.dataset['liveSince'];
    begin();
  });
  setTimeout(begin, START_MILLISECONDS);
}

function connect(signal: AbortSignal): void {
  const tabs = new LiveTabs({
    changed: (names) => {
      document.dispatchEvent(new CustomEvent('live-changed', { detail: names }));
      markStale((topic) => names.includes(topic));
    },
    allChanged: () => {
      document.dispatchEvent(new CustomEvent('live-changed', { detail: [...topicsOfPage()] }));
      markStale(() => true);
    },
    connection: showConnection,
  });
  const listen = (): void =>
    tabs.listen({ topics: [...topicsOfPage()].sort(), since: document.documentElement.dataset['liveSince'] });
  listen();
  tabs.start(signal);
  document.addEventListener('page-shown', listen, { signal });
  window.addEventListener('online', () => tabs.retry(), { signal });
}

function liveElements(): NodeListOf<HTMLElement> {
  return document.querySelectorAll<HTMLElement>('[data-live][id]');
}

function topicsOf(element: HTMLElement): string[] {
  return (element.dataset['live'] ?? '').split(/\s+/).filter((topic) => topic !== '');
}

function topicsOfPage(): Set<string> {
  return new Set([...document.querySelectorAll<HTMLElement>('[data-live]')].flatMap(topicsOf));
}

function markStale(isChanged: (topic: string) => boolean): void {
  for (const element of liveElements()) if (topicsOf(element).some(isChanged)) stale.add(element.id);
  readSoon();
}

function noteUser({ timeStamp }: Event): void {
  const wasAbsent = timeStamp - seenAt > ABSENT_MILLISECONDS;
  seenAt = timeStamp;
  if (wasAbsent) readSoon();
}

/** Reads the page again if something of it is stale, soon and not too often. */
function readSoon(): void {
  if (stale.size === 0 || document.hidden || performance.now() - seenAt > ABSENT_MILLISECONDS) return;
  if (reading !== undefined) return;
  const wait = Math.max(COLLECT_MILLISECONDS, readAt + READ_MILLISECONDS - performance.now());
  reading = setTimeout(() => {
    reading = undefined;
    readAt = performance.now();
    void readAgain();
  }, wait);
}

async function readAgain(): Promise<void> {
  const ids = [...stale];
  stale.clear();
  const { href } = location;
  const address = new URL(href);
  address.searchParams.delete('done');
  // Pages leave out what is expensive and does not change.
  address.searchParams.set('Part', 'live');
  const fetched = await readInBackground(address);
  // A script may have shown another page meanwhile, such as the next one of a list: the answer is not for that page.
  const isOther = location.href !== href;
  if (!fetched || isOther) {
    for (const id of ids) stale.add(id);
    if (isOther) readSoon();
    return;
  }
  const before = statesOf();
  for (const id of ids) renew(id, fetched);
  const changed = [...statesOf()].filter(([name, state]) => before.has(name) && before.get(name) !== state);
  if (changed.length > 0) announce(changed.map(([name, state]) => `${name}: ${state}.`).join(' '));
}

/** Fetches a page. Unlike one that the user asked for, it never leads elsewhere: the user may be in mid-form. */
async function readInBackground(address: URL): Promise<Document | undefined> {
  try {
    const response = await fetch(address, { headers: { Accept: 'text/html' }, redirect: 'manual' });
    if (response.type === 'opaqueredirect') showConnection('ended');
    return response.ok ? new DOMParser().parseFromString(await response.text(), 'text/html') : undefined;
  } catch {
    return undefined;
  }
}

function renew(id: string, fetched: Document): void {
  const current = document.getElementById(id);
  const next = fetched.getElementById(id);
  if (!current || !next || isSame(current, next)) return;
  if (current.dataset['liveMode'] === 'quiet' && !isInUse(current)) {
    morphElement(fetched, id);
    removeOffer(id);
  } else offer(current, next);
}

/** Whether two elements differ at most in what the user or a script did: opened details, heights, fields in use. */
function isSame(current: Element, next: Element): boolean {
  return current.isEqualNode(next) || asServed(current).isEqualNode(asServed(next));
}

/** Attributes that the server does not write, or that say what is open. */
const STATE_ATTRIBUTES = ['open', 'style', 'aria-expanded', 'aria-autocomplete', 'aria-controls'];

function asServed(element: Element): Element {
  const copy = element.cloneNode(true) as Element;
  for (const each of copy.querySelectorAll(STATE_ATTRIBUTES.map((name) => `[${name}]`).join()))
    for (const name of STATE_ATTRIBUTES) each.removeAttribute(name);
  for (const field of copy.querySelectorAll('input[data-lookup]')) field.removeAttribute('role');
  return copy;
}

/** Whether the user is about to do something in an element, which must not change then. */
function isInUse(element: HTMLElement): boolean {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  if (focused?.matches('input, textarea, select, [contenteditable]') === true) return true;
  const inUse = ':active, details.menu[open], dialog[open], [aria-busy=true], record-list[data-ticks]';
  return element.querySelector(inUse) !== null;
}

/** Puts a line above an element that says what is new. It keeps its place until the user asks for it. */
function offer(current: HTMLElement, next: Element): void {
  const line = document.getElementById(`${current.id}-news`) ?? addOffer(current);
  const rows = (of: Element): string[] => [...of.querySelectorAll('[data-row]')].map((row) => row.id);
  const known = new Set(rows(current));
  const count = rows(next).filter((id) => !known.has(id)).length;
  const text = count > 0 ? `${count} new` : 'This has changed.';
  const words = line.querySelector('span');
  if (words && words.textContent !== text) {
    words.textContent = text;
    announce(text);
  }
}

function addOffer(current: HTMLElement): HTMLElement {
  const line = document.createElement('p');
  line.id = `${current.id}-news`;
  line.className = 'live-news';
  const show = document.createElement('button');
  show.type = 'button';
  show.className = 'link';
  show.dataset['liveShow'] = current.id;
  show.textContent = 'Show';
  line.append(document.createElement('span'), ' ', show);
  current.before(line);
  return line;
}

function removeOffer(id: string): void {
  document.getElementById(`${id}-news`)?.remove();
}

function showOffered({ target }: MouseEvent): void {
  const id =
    target instanceof Element ? target.closest<HTMLElement>('[data-live-show]')?.dataset['liveShow'] : undefined;
  if (id === undefined) return;
  void fetchPage(location.href).then((fetched) => {
    if ('error' in fetched) return announce(fetched.error);
    morphElement(fetched.document, id);
    removeOffer(id);
    const shown = document.getElementById(id);
    if (!shown) return;
    shown.tabIndex = -1;
    shown.focus({ preventScroll: true });
  });
}

/** Returns the texts of what is announced when it changes, by its name. */
function statesOf(): Map<string, string> {
  const marks = document.querySelectorAll<HTMLElement>('[data-announce]');
  return new Map([...marks].map((mark) => [mark.dataset['announce'] ?? '', mark.textContent]));
}

/** Shows that there is no connection, or that the session has ended, until it is back. */
function showConnection(state: ConnectionState): void {
  document.documentElement.dataset['connection'] = state;
  const known = document.getElementById('connection-state');
  if (state === 'up') {
    known?.remove();
    announce('The connection is back.');
    return;
  }
  const line = known ?? document.createElement('p');
  line.id = 'connection-state';
  line.className = 'connection-state';
  line.setAttribute('role', 'status');
  const back = `/signin?returnTo=${encodeURIComponent(location.pathname + location.search)}`;
  if (state === 'down') line.textContent = 'No connection. What you see may be old. Trying again…';
  if (state === 'ended') {
    const link = document.createElement('a');
    link.href = back;
    link.textContent = 'Sign in again';
    line.replaceChildren('Your session has ended. ', link, '.');
  }
  document.querySelector('.top-bar .tools')?.prepend(line);
}
