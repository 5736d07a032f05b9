/** Where the browser keeps the list from which the user goes to a case, so that the case leads to the next one. */
const LIST_KEY = 'casewright-list';

/** A list of cases: its address, and those of its cases in order. */
export interface CaseList {
  readonly title: string;
  readonly href: string;
  readonly items: readonly string[];
}

/** Remembers the cases of the list that the page shows, when it is left. */
export function rememberList(): void {
  window.addEventListener('pagehide', () => {
    const links = [...document.querySelectorAll<HTMLAnchorElement>('.record-rows tbody th a')];
    const items = links.map(({ pathname }) => pathname).filter((path) => path.startsWith('/case/'));
    if (items.length === 0) return;
    const list: CaseList = { title: document.title, href: location.pathname + location.search, items };
    sessionStorage.setItem(LIST_KEY, JSON.stringify(list));
  });
}

/** Returns the list from which the user came. */
export function rememberedList(): CaseList | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(LIST_KEY) ?? 'null') as CaseList | null) ?? undefined;
  } catch {
    return undefined;
  }
}
