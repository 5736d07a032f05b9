import { morphInto } from './morph.ts';

/** The user's own numbers are counted again so long after a change, unread mail and those of other records so long. */
const OWN_MILLISECONDS = 4_000;
const MAIL_MILLISECONDS = 10_000;
const OTHER_MILLISECONDS = 60_000;
/** Old numbers are counted again so long after the page is shown: its own requests go first. */
const START_MILLISECONDS = 400;

let timer: ReturnType<typeof setTimeout> | undefined;
let dueAt = Infinity;
/** Counts the moves of pinned views, when they begin and when they are stored. */
let moves = 0;

/** Keeps the numbers and the pinned views of the sidebar up to date, without asking more often than they matter. */
export function watchSidebarCounts(): void {
  const places = sidebarPlaces();
  if (!places) return;
  if (places.dataset['sidebarCounts'] === 'stale') renewWithin(START_MILLISECONDS);
  document.addEventListener('live-changed', (event) => {
    const known = new Set((sidebarPlaces()?.dataset['live'] ?? '').split(' '));
    const changed = (event as CustomEvent<readonly string[]>).detail.filter((topic) => known.has(topic));
    if (changed.length > 0) renewWithin(Math.min(...changed.map(waitFor)));
  });
  document.addEventListener('visibilitychange', () => {
    if (dueAt < Infinity) renewWithin(0);
  });
}

function waitFor(topic: string): number {
  if (topic.startsWith('me/')) return OWN_MILLISECONDS;
  return topic === 'message' ? MAIL_MILLISECONDS : OTHER_MILLISECONDS;
}

function sidebarPlaces(): HTMLElement | null {
  return document.querySelector<HTMLElement>('[data-sidebar-counts]');
}

function renewWithin(milliseconds: number): void {
  const at = performance.now() + milliseconds;
  if (at > dueAt) return;
  dueAt = at;
  clearTimeout(timer);
  timer = setTimeout(() => {
    // A hidden page is refreshed when it is shown again.
    if (document.hidden) return;
    dueAt = Infinity;
    void renewSidebar();
  }, milliseconds);
}

/** Drops entries that are being fetched, because a pinned view has moved since, and fetches them later. */
export function noteMove(): void {
  moves++;
}

/** Fetches the sidebar's entries again. Keeps the current entry and the focus. */
export async function renewSidebar(): Promise<void> {
  const movesBefore = moves;
  const response = await fetch('/sidebar', { headers: { Accept: 'text/html' }, redirect: 'manual' }).catch(() => null);
  if (response?.ok !== true) return;
  const fetched = new DOMParser().parseFromString(await response.text(), 'text/html');
  const next = fetched.querySelector<HTMLElement>('[data-sidebar-counts]');
  const current = sidebarPlaces();
  if (!next || current?.querySelector('.dragged') !== null) return;
  if (moves !== movesBefore) {
    renewWithin(OWN_MILLISECONDS);
    return;
  }
  const here = current.querySelector('[aria-current]')?.getAttribute('href') ?? '';
  next.querySelector(`a[href="${CSS.escape(here)}"]`)?.setAttribute('aria-current', 'page');
  morphInto(current, next);
}
