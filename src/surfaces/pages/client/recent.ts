/** A page that was opened in this browser. */
export interface RecentPage {
  readonly href: string;
  readonly text: string;
}

const KEY = 'casewright-recent';
const RECENT_MAX = 8;
/** Addresses of records: other pages are found in the sidebar. */
const RECORD_PATH = /^\/(?:records|case)\/[a-z]+\/\d+$/;

/**
 * Remembers the record that this page shows. Without the console's frame nobody is signed in: then everything is
 * forgotten, because the next user of the browser may see other records.
 */
export function rememberPage(): void {
  if (!document.body.classList.contains('app')) {
    localStorage.removeItem(KEY);
    return;
  }
  const text = document.querySelector('h1')?.textContent.trim() ?? '';
  if (!RECORD_PATH.test(location.pathname) || text === '') return;
  const others = recentPages().filter(({ href }) => href !== location.pathname);
  localStorage.setItem(
    KEY,
    JSON.stringify([{ href: location.pathname, text: text.slice(0, 120) }, ...others].slice(0, RECENT_MAX)),
  );
}

/** Returns the records that were opened last in this browser, except the one that is shown. */
export function recentPages(): readonly RecentPage[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecentPage) : [];
  } catch {
    return [];
  }
}

function isRecentPage(of: unknown): of is RecentPage {
  const { href, text } = (of ?? {}) as Partial<Record<keyof RecentPage, unknown>>;
  return typeof href === 'string' && RECORD_PATH.test(href) && typeof text === 'string';
}
