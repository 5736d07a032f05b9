import { announce } from '../announce.ts';
import { fetchPage, morphElement } from '../morph.ts';
import { convertByScript } from './convert-progress.ts';
import { addWords } from './page-words.ts';
import { showTextOnceRead } from './text-progress.ts';

/** Zoom steps in percent of the width of a page; images of twice the pixels are loaded above the limit. */
const ZOOMS: readonly number[] = [50, 75, 100, 125, 150, 200, 300];
const SHARP_ABOVE = 130;
const [READ_PIXELS, SHARP_PIXELS] = [900, 1600];
/** The page in the middle of the window is the current one. */
const CURRENT_AREA = '-50% 0px -50% 0px';

/** The viewer of a document: page number in the address, zoom, rotation, words to select, and hits in place. */
export class DocumentViewerElement extends HTMLElement {
  private watcher: IntersectionObserver | undefined;
  private near: IntersectionObserver | undefined;
  private page = 1;
  private zoom = 100;
  private turns = 0;
  private hit = 0;
  private readonly listeners = new AbortController();

  connectedCallback(): void {
    const { signal } = this.listeners;
    for (const tools of this.querySelectorAll<HTMLElement>('.viewer-tools')) tools.hidden = false;
    this.addEventListener('click', (event) => this.pressed(event), { signal });
    this.addEventListener('change', ({ target }) => this.goToEntered(target), { signal });
    this.addEventListener('submit', (event) => this.find(event), { signal });
    this.addEventListener('submit', convertByScript, { signal });
    window.addEventListener('hashchange', () => this.followAddress(), { signal });
    if (this.querySelector('#viewer-text')) showTextOnceRead(this, signal);
    this.watchPages();
    this.followAddress();
    if (this.dataset['start'] !== undefined) this.goTo(Number(this.dataset['start']));
    else if (this.hits.length > 0 && location.hash === '') this.showHit(1);
  }

  disconnectedCallback(): void {
    this.listeners.abort();
    this.watcher?.disconnect();
    this.near?.disconnect();
  }

  private get sheets(): HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>('[data-page]')];
  }

  private get hits(): HTMLAnchorElement[] {
    return [...this.querySelectorAll<HTMLAnchorElement>('a[data-hit]')];
  }

  /** Notes which page is shown, and puts the words over pages that come near. */
  private watchPages(): void {
    const root = this.querySelector('.viewer-pages');
    this.watcher = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries)
          if (isIntersecting && target instanceof HTMLElement) this.showPage(Number(target.dataset['page']));
      },
      { root, rootMargin: CURRENT_AREA },
    );
    this.near = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries)
          if (isIntersecting && target instanceof HTMLElement && this.dataset['version'] === '')
            void addWords(this.dataset['id'] ?? '', target);
      },
      { root, rootMargin: '50% 0px' },
    );
    for (const sheet of this.sheets) {
      this.watcher.observe(sheet);
      if (sheet.classList.contains('sheet')) this.near.observe(sheet);
    }
  }

  private showPage(page: number): void {
    this.page = page;
    const field = this.querySelector<HTMLInputElement>('[data-page-number]');
    if (field && document.activeElement !== field) field.value = String(page);
    for (const link of this.querySelectorAll('[data-strip]')) {
      const isCurrent = link.getAttribute('data-strip') === String(page);
      if (isCurrent) {
        link.setAttribute('aria-current', 'page');
        link.scrollIntoView({ block: 'nearest' });
      } else link.removeAttribute('aria-current');
    }
    if (this.isPage && (page > 1 || location.hash !== '')) history.replaceState(history.state, '', `#page=${page}`);
  }

  /** Whether this is the page of the document, and not a drawer of another page. */
  private get isPage(): boolean {
    return location.pathname === `/documents/${this.dataset['id']}`;
  }

  private followAddress(): void {
    const page = /^#page[=-](\d+)$/.exec(location.hash)?.[1];
    if (page !== undefined && this.isPage) this.goTo(Number(page));
  }

  private goTo(page: number): void {
    const sheet = this.querySelector(`[data-page="${page}"]`);
    if (!sheet) return;
    sheet.scrollIntoView({ block: 'start' });
    this.showPage(page);
  }

  private goToEntered(target: EventTarget | null): void {
    if (!(target instanceof HTMLInputElement) || !target.matches('[data-page-number]')) return;
    const page = Math.min(Math.max(1, Math.round(Number(target.value)) || 1), this.sheets.length);
    target.value = String(page);
    this.goTo(page);
    this.querySelector<HTMLElement>('.viewer-pages')?.focus({ preventScroll: true });
  }

  private pressed(event: MouseEvent): void {
    if (!(event.target instanceof Element)) return;
    const link = event.target.closest<HTMLAnchorElement>('a[data-strip], a[data-hit]');
    const tool = event.target.closest<HTMLElement>('[data-tool]')?.dataset['tool'];
    if (link?.dataset['hit'] !== undefined) this.showHit(Number(link.dataset['hit']));
    else if (link) this.goTo(Number(link.dataset['strip']));
    else if (tool === 'turn') this.turn();
    else if (tool === 'page-before' || tool === 'page-after') this.goTo(this.page + (tool === 'page-after' ? 1 : -1));
    else if (tool !== undefined) this.changeZoom(tool === 'zoom-in' ? 1 : -1);
    if (link) event.preventDefault();
  }

  private changeZoom(by: number): void {
    const at = ZOOMS.indexOf(this.zoom);
    this.zoom = ZOOMS[Math.min(Math.max(0, at + by), ZOOMS.length - 1)] ?? 100;
    const text = `${this.zoom} %`;
    const shown = this.querySelector('[data-zoom-text]');
    if (shown) shown.textContent = text;
    announce(text);
    const { page } = this;
    this.style.setProperty('--zoom', String(this.zoom / 100));
    const [from, to] = this.zoom > SHARP_ABOVE ? [READ_PIXELS, SHARP_PIXELS] : [SHARP_PIXELS, READ_PIXELS];
    for (const image of this.querySelectorAll<HTMLImageElement>('.sheet img'))
      if (image.src.includes(`Width=${from}`)) image.src = image.src.replace(`Width=${from}`, `Width=${to}`);
    this.goTo(page);
  }

  private turn(): void {
    this.turns = (this.turns + 1) % 4;
    const { page } = this;
    for (const sheet of this.querySelectorAll<HTMLElement>('.sheet')) {
      const image = sheet.querySelector('img');
      if (!image) continue;
      const [width, height] = image.naturalWidth > 0 ? [image.naturalWidth, image.naturalHeight] : [17, 22];
      sheet.dataset['turns'] = String(this.turns);
      sheet.style.aspectRatio = this.turns % 2 === 1 ? `${height} / ${width}` : `${width} / ${height}`;
    }
    announce(`Rotated by ${this.turns * 90} degrees`);
    this.goTo(page);
  }

  /** Finds words without a page load. The same words again show the next hit. */
  private find(event: SubmitEvent): void {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches('[data-find]')) return;
    event.preventDefault();
    const text = form.querySelector<HTMLInputElement>('[name=find]')?.value.trim() ?? '';
    if (text !== '' && text === this.dataset['found'] && this.hits.length > 0) {
      this.showHit((this.hit % this.hits.length) + 1);
      return;
    }
    void this.findText(form.action, text);
  }

  private async findText(action: string, text: string): Promise<void> {
    const address = new URL(action);
    if (text !== '') address.searchParams.set('find', text);
    const fetched = await fetchPage(address);
    if ('error' in fetched) {
      announce(fetched.error);
      return;
    }
    this.dataset['found'] = text;
    morphElement(fetched.document, 'viewer-hits');
    for (const sheet of this.sheets) replaceHits(sheet, fetched.document);
    if (this.isPage) history.replaceState(history.state, '', address);
    announce(this.querySelector('#viewer-hits [role=status]')?.textContent ?? '');
    if (this.hits.length > 0) this.showHit(1);
  }

  private showHit(number: number): void {
    this.hit = number;
    const link = this.querySelector<HTMLAnchorElement>(`a[data-hit="${number}"]`);
    for (const each of this.hits) each.removeAttribute('aria-current');
    link?.setAttribute('aria-current', 'true');
    link?.scrollIntoView({ block: 'nearest' });
    for (const box of this.querySelectorAll('.hit-boxes rect'))
      box.classList.toggle('current', box.getAttribute('data-hit-box') === String(number));
    const box = this.querySelector(`[data-hit-box="${number}"]`);
    const page = /page-(\d+)$/.exec(link?.getAttribute('href') ?? '')?.[1];
    if (box) box.scrollIntoView({ block: 'center' });
    else if (page !== undefined) this.goTo(Number(page));
  }
}

/** Takes the marks of a page over from a fetched one. Its image and its words stay. */
function replaceHits(sheet: HTMLElement, fetched: Document): void {
  const next = fetched.getElementById(sheet.id);
  if (!next) return;
  if (sheet.matches('pre')) {
    sheet.replaceChildren(...next.childNodes);
    return;
  }
  sheet.querySelector('.hit-boxes')?.remove();
  const boxes = next.querySelector('.hit-boxes');
  if (boxes) sheet.querySelector('.turn')?.append(boxes);
}
