import { announce } from './announce.ts';
import { fetchPage } from './morph.ts';

/** The page of a document, whose links open the drawer. */
const DOCUMENT_PATH = /^\/documents\/\d+$/;
/** Where the browser keeps the width. */
const WIDTH_KEY = 'casewright-document-width';
/** Widths in pixels; `page` is what remains of the page. */
const WIDTH = { least: 360, usual: 560, page: 460, step: 40 } as const;
/** Below this width of the window the drawer covers the page. */
const COVERS = '(max-width: 900px)';

/**
 * A document beside the page, such as a form that is filled in from it. The page is not touched: what was typed, the
 * focus' place and the scroll positions stay. Esc closes it; F6 goes from it to the page and back.
 */
class DocumentDrawer extends HTMLElement {
  /** What the focus returns to. */
  opener: HTMLElement | null = null;
  /** The case or work item that the document was opened from. */
  subject = '';
  private width: number = WIDTH.usual;
  private lastInPage: HTMLElement | null = null;
  private readonly gone = new AbortController();

  connectedCallback(): void {
    const { signal } = this.gone;
    this.id = 'document-drawer';
    this.setAttribute('role', 'complementary');
    this.setAttribute('aria-label', 'Document');
    // Its keys go before those of the page while the focus is in it.
    this.dataset['keys'] = '';
    document.documentElement.dataset['documentBeside'] = '';
    this.addEventListener('click', ({ target }) => {
      if (target instanceof Element && target.closest('[data-close-drawer]')) this.close();
    });
    document.addEventListener('keydown', (event) => this.key(event), { signal });
    document.addEventListener('page-shown', () => this.followPage(), { signal });
    window.addEventListener('resize', () => this.fit(), { signal });
    this.resize(Number(localStorage.getItem(WIDTH_KEY)) || WIDTH.usual);
    this.fit();
  }

  disconnectedCallback(): void {
    this.gone.abort();
    delete document.documentElement.dataset['documentBeside'];
    setInert(false);
  }

  /** Shows the document of a link, at the page and with the search that the link names. */
  async show(link: HTMLAnchorElement): Promise<void> {
    const address = new URL(link.href);
    const { hash } = address;
    address.hash = '';
    address.searchParams.set('Part', 'drawer');
    if (!this.querySelector('document-viewer')) this.replaceChildren(note('Loading the document.'));
    const [fetched] = await Promise.all([fetchPage(address, { staysSignedOut: true }), import('./viewer.ts')]);
    if (!this.isConnected) return;
    const viewer = 'error' in fetched ? null : fetched.document.querySelector<HTMLElement>('document-viewer');
    if (!viewer) {
      this.fail('error' in fetched ? fetched.error : 'The document cannot be shown here.', link.href);
      return;
    }
    const page = /^#page[=-](\d+)$/.exec(hash)?.[1];
    if (page !== undefined) viewer.dataset['start'] = page;
    this.replaceChildren(this.separator(), viewer);
    const name = viewer.querySelector('h2')?.textContent ?? '';
    this.setAttribute('aria-label', `Document ${name}`);
    announce(`${name} is shown beside the page. F6 goes back to the page, Escape closes the document.`);
    this.focusDocument();
  }

  close(): void {
    this.remove();
    this.focusPage(this.opener, sameLink(this.opener));
  }

  /** Moves the focus to the first of these that can be seen, else to the heading of the page. */
  private focusPage(...candidates: readonly (HTMLElement | null | undefined)[]): void {
    const target = candidates.find((each) => each?.isConnected === true && each.checkVisibility());
    (target ?? document.querySelector<HTMLElement>('#main h1[tabindex], #main'))?.focus();
  }

  private fail(words: string, href: string): void {
    const close = Object.assign(document.createElement('button'), { className: 'button', textContent: 'Close' });
    close.dataset['closeDrawer'] = '';
    const open = Object.assign(document.createElement('a'), { className: 'link', href, textContent: 'Open its page' });
    open.dataset['wholePage'] = '';
    this.replaceChildren(note(words), open, close);
    announce(words);
    close.focus();
  }

  private key(event: KeyboardEvent): void {
    const isInside = this.contains(document.activeElement);
    if (event.key === 'F6' && !event.ctrlKey && !event.altKey) {
      event.preventDefault();
      if (isInside) this.focusPage(this.lastInPage, this.opener);
      else {
        this.lastInPage = document.activeElement instanceof HTMLElement ? document.activeElement : null;
        this.focusDocument();
      }
    } else if (event.key === 'Escape' && isInside && !event.defaultPrevented && !isFilled(event.target)) {
      event.preventDefault();
      this.close();
    }
  }

  private focusDocument(): void {
    const target = this.querySelector<HTMLElement>('.viewer-pages') ?? this.querySelector<HTMLElement>('a, button');
    target?.focus({ preventScroll: true });
  }

  /** Closes the drawer when the page shows another case or work item: the document is not of that one. */
  private followPage(): void {
    if (subjectOfPage() !== this.subject) this.remove();
  }

  /** Renders the edge by which the width changes. */
  private separator(): HTMLElement {
    const edge = document.createElement('div');
    edge.className = 'drawer-edge';
    edge.tabIndex = 0;
    edge.setAttribute('role', 'separator');
    edge.setAttribute('aria-orientation', 'vertical');
    edge.setAttribute('aria-label', 'Width of the document');
    edge.addEventListener('pointerdown', (event) => {
      edge.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    edge.addEventListener('pointermove', ({ clientX, pointerId }) => {
      if (edge.hasPointerCapture(pointerId)) this.resize(window.innerWidth - clientX, edge);
    });
    edge.addEventListener('lostpointercapture', () => this.rememberWidth());
    edge.addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
      event.preventDefault();
      this.resize(this.width + (event.key === 'ArrowLeft' ? WIDTH.step : -WIDTH.step), edge);
      this.rememberWidth();
    });
    queueMicrotask(() => this.resize(this.width));
    return edge;
  }

  /** Sets the requested width; a small window shows less of it. */
  private resize(requested: number, edge = this.querySelector<HTMLElement>('.drawer-edge')): void {
    const most = Math.max(WIDTH.least, window.innerWidth - WIDTH.page);
    this.width = Math.round(Math.max(requested, WIDTH.least));
    const width = Math.min(this.width, most);
    document.documentElement.style.setProperty('--drawer-width', `${width}px`);
    edge?.setAttribute('aria-valuemin', String(WIDTH.least));
    edge?.setAttribute('aria-valuemax', String(most));
    edge?.setAttribute('aria-valuenow', String(width));
  }

  private rememberWidth(): void {
    localStorage.setItem(WIDTH_KEY, String(this.width));
  }

  private fit(): void {
    this.resize(this.width);
    setInert(window.matchMedia(COVERS).matches);
  }
}

/** Opens documents in the drawer that links of the page lead to. With Ctrl or Shift they open as any link does. */
export function openDocumentsBeside(): void {
  customElements.define('document-drawer', DocumentDrawer);
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
    if (!link || !opensBeside(link)) return;
    event.preventDefault();
    const shown = document.querySelector<DocumentDrawer>('document-drawer');
    const drawer = shown ?? (document.createElement('document-drawer') as DocumentDrawer);
    if (!drawer.contains(link)) drawer.opener = focusedInPage() ?? link;
    drawer.subject = subjectOfPage();
    if (!shown) document.querySelector('.app')?.append(drawer);
    void drawer.show(link);
  });
}

/** Whether Esc clears a field first. */
function isFilled(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === 'search' && target.value !== '';
}

/** Whether a link leads to a document, and from a place where that is read beside the page. */
function opensBeside(link: HTMLAnchorElement): boolean {
  const isDocument = link.origin === location.origin && DOCUMENT_PATH.test(link.pathname) && link.target === '';
  return isDocument && link.dataset['wholePage'] === undefined && link.closest('#main, document-drawer') !== null;
}

/** Returns what has the focus: a key opens a document without moving it. */
function focusedInPage(): HTMLElement | undefined {
  const { activeElement: focused } = document;
  return focused instanceof HTMLElement && focused.closest('#main > *') ? focused : undefined;
}

function subjectOfPage(): string {
  return document.querySelector<HTMLElement>('work-mode')?.dataset['address'] ?? location.pathname;
}

/** Returns the link that took the place of a removed one: the page may have been updated meanwhile. */
function sameLink(removed: HTMLElement | null): HTMLElement | undefined {
  if (!(removed instanceof HTMLAnchorElement)) return undefined;
  return [...document.querySelectorAll<HTMLAnchorElement>('#main a')].find(({ href }) => href === removed.href);
}

/** Keeps the focus out of what the drawer covers. */
function setInert(isCovered: boolean): void {
  for (const part of document.querySelectorAll('#main, .top-bar, .sidebar, .tab-bar'))
    part.toggleAttribute('inert', isCovered);
}

function note(words: string): HTMLElement {
  return Object.assign(document.createElement('p'), { className: 'soft', textContent: words });
}
