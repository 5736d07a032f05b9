// The script of lists: moves the current row, ticks, previews, and changes the page without reloading it.
import { announce } from './announce.ts';
import { rememberList } from './list-memory.ts';
import { groupDigits, sumOfAmounts, withCents } from '../shared/amounts.ts';
import { fetchPage, goTo, morphElement } from './morph.ts';
import { isTyping } from './shortcuts.ts';

/** The preview follows the current row after this time, so that moving through rows fetches only the last. */
const PREVIEW_MILLISECONDS = 80;

/** A list of records. Its state is in the page: the current row, the ticks, the preview. */
class RecordList extends HTMLElement {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private lastTick = -1;

  connectedCallback(): void {
    this.addEventListener('click', (event) => this.pressed(event));
    this.addEventListener('dblclick', (event) => {
      const row = rowOf(event.target);
      if (row) open(row);
    });
    this.addEventListener('change', (event) => this.change(event));
    this.addEventListener('reset', () => setTimeout(() => this.showTicks()));
    this.addEventListener('submit', (event) => this.submit(event));
    this.showTicks();
  }

  get rows(): HTMLTableRowElement[] {
    return [...this.querySelectorAll<HTMLTableRowElement>('.record-rows tbody tr')];
  }

  get current(): HTMLTableRowElement | null {
    return this.querySelector('.record-rows tr.current');
  }

  get preview(): HTMLElement | null {
    return this.querySelector('#preview');
  }

  get ticks(): HTMLInputElement[] {
    return [...this.querySelectorAll<HTMLInputElement>('tbody .tick-cell .tick')];
  }

  /** Obeys a key of lists; returns whether it did. */
  press(event: KeyboardEvent): boolean {
    const bulk = this.hasAttribute('data-ticks')
      ? this.querySelector<HTMLElement>(`[data-bulk-key="${CSS.escape(event.key)}"]`)
      : null;
    if (bulk) bulk.click();
    else if (event.key === 'j' || event.key === 'ArrowDown') this.move(1);
    else if (event.key === 'k' || event.key === 'ArrowUp') this.move(-1);
    else if (event.key === 'x') this.toggleCurrent();
    else if (event.key === 'Enter' && this.current && isOnRows(event)) open(this.current);
    else if (event.key === ' ' && this.current && isOnRows(event)) this.togglePreview();
    else if (event.key === 'Escape') return this.escape();
    else return false;
    return true;
  }

  private move(by: number): void {
    const { rows, current } = this;
    const at = current ? rows.indexOf(current) : -1;
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))];
    if (next) this.select(next);
  }

  private select(row: HTMLTableRowElement): void {
    this.current?.classList.remove('current');
    row.classList.add('current');
    row.scrollIntoView({ block: 'nearest' });
    row.querySelector<HTMLElement>('th a')?.focus({ preventScroll: true });
    if (this.preview?.hidden === false) this.showPreview();
  }

  private toggleCurrent(): void {
    const tick = this.current?.querySelector<HTMLInputElement>('.tick');
    if (!tick) return;
    tick.checked = !tick.checked;
    this.showTicks();
  }

  private togglePreview(): void {
    if (this.preview?.hidden === false) this.closePreview();
    else this.showPreview(0);
  }

  private closePreview(): void {
    clearTimeout(this.timer);
    if (!this.preview) return;
    this.preview.hidden = true;
    this.current?.querySelector<HTMLElement>('th a')?.focus();
  }

  private showPreview(after = PREVIEW_MILLISECONDS): void {
    clearTimeout(this.timer);
    const { current } = this;
    const address = current?.dataset['preview'];
    if (current && address !== undefined) this.timer = setTimeout(() => void this.loadPreview(current, address), after);
  }

  private async loadPreview(row: HTMLTableRowElement, address: string): Promise<void> {
    const fetched = await fetchPage(address);
    // Meanwhile another row may be current.
    if (this.current !== row || !this.preview) return;
    if ('error' in fetched) this.preview.textContent = fetched.error;
    else if (!morphElement(fetched.document, 'preview')) this.preview.textContent = 'This record did not load.';
    this.preview.hidden = false;
  }

  /** Closes what Esc closes: the preview, else the ticks. */
  private escape(): boolean {
    if (this.preview?.hidden === false) this.closePreview();
    else if (this.hasAttribute('data-ticks')) {
      for (const tick of this.ticks) tick.checked = false;
      this.showTicks();
    } else return false;
    return true;
  }

  private pressed(event: MouseEvent): void {
    if (!(event.target instanceof Element)) return;
    if (event.target.closest('[data-close-preview]')) this.closePreview();
    const link = event.target.closest<HTMLAnchorElement>('a[data-list-link], .list-head .tabs a, thead a');
    if (link && !event.defaultPrevented && isPlain(event)) {
      event.preventDefault();
      void this.go(link.href);
      return;
    }
    const tick = event.target.closest<HTMLInputElement>('tbody .tick-cell .tick');
    if (tick) this.tickRange(tick, event.shiftKey);
    else if (!event.target.closest('a, button, input, label')) this.clickRow(event.target);
  }

  private clickRow(target: Element): void {
    const row = rowOf(target);
    if (!row) return;
    this.select(row);
    this.showPreview();
  }

  /** With Shift, ticks everything between the last tick and this one alike. */
  private tickRange(tick: HTMLInputElement, isRange: boolean): void {
    const { ticks } = this;
    const at = ticks.indexOf(tick);
    if (isRange && this.lastTick >= 0)
      for (const each of ticks.slice(Math.min(at, this.lastTick), Math.max(at, this.lastTick) + 1))
        each.checked = tick.checked;
    this.lastTick = at;
    this.showTicks();
  }

  private change({ target }: Event): void {
    if (!(target instanceof HTMLInputElement)) return;
    if (target.matches('[data-tick-all]')) for (const tick of this.ticks) tick.checked = target.checked;
    if (target.matches('.tick')) this.showTicks();
  }

  /** Shows how many rows are selected. */
  showTicks(): void {
    const { ticks } = this;
    const count = ticks.filter(({ checked }) => checked).length;
    this.toggleAttribute('data-ticks', count > 0);
    const text = `${count} selected${this.sumOfTicked()}`;
    const shown = this.querySelector('[data-tick-count]');
    if (shown && shown.textContent !== text) {
      shown.textContent = text;
      if (count > 0) announce(text);
    }
    const all = this.querySelector<HTMLInputElement>('[data-tick-all]');
    if (!all) return;
    all.checked = count > 0 && count === ticks.length;
    all.indeterminate = count > 0 && count < ticks.length;
  }

  /** Returns the sum of the selected rows, if rows have amounts (`data-amount`); else an empty text. */
  private sumOfTicked(): string {
    const rows = this.ticks.flatMap((tick) => (tick.checked ? (rowOf(tick) ?? []) : []));
    const amounts = rows.flatMap(({ dataset }) => dataset['amount'] ?? []);
    return amounts.length === 0 ? '' : `, sum ${groupDigits(withCents(sumOfAmounts(amounts)))}`;
  }

  /** Forms of filters change the list in place. */
  private submit(event: SubmitEvent): void {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches('[data-list-form]') || event.defaultPrevented) return;
    event.preventDefault();
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (typeof value === 'string') query.append(name, value);
    void this.go(`${form.action}?${query.toString()}`);
  }

  private async go(address: string): Promise<void> {
    this.setAttribute('aria-busy', 'true');
    const preview = this.preview;
    if (preview) preview.hidden = true;
    if (!(await goTo(address))) return;
    this.removeAttribute('aria-busy');
    this.showTicks();
    document.querySelector<HTMLElement>('.chip [autofocus]')?.focus();
    announce(document.querySelector('.list-foot [role=status]')?.textContent ?? 'The list has changed.');
  }
}

function rowOf(target: EventTarget | null): HTMLTableRowElement | null {
  return target instanceof Element ? target.closest<HTMLTableRowElement>('.record-rows tbody tr') : null;
}

function open(row: HTMLTableRowElement): void {
  row.querySelector<HTMLAnchorElement>('th a')?.click();
}

/** Whether a key is for the rows: nothing else that it would press has the focus. */
function isOnRows({ target }: KeyboardEvent): boolean {
  return !(target instanceof Element) || !target.closest('a, button, summary, input') || rowOf(target) !== null;
}

function isPlain({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean {
  return button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey;
}

/** A page is read again only so long after the user's last key or movement: that would keep the session open. */
const ABSENT_MILLISECONDS = 10 * 60_000;
let seenAt = performance.now();
for (const type of ['keydown', 'pointerdown', 'pointermove'])
  document.addEventListener(type, () => (seenAt = performance.now()), { passive: true });

/** Reads the page of something that runs, such as a bulk change, again and again until it is over. */
function refreshRun(): void {
  const run = document.querySelector<HTMLElement>('[data-refresh-seconds]');
  const seconds = Number(run?.dataset['refreshSeconds'] ?? 0);
  if (!run || seconds <= 0) return;
  setTimeout(() => {
    if (document.hidden || performance.now() - seenAt > ABSENT_MILLISECONDS) {
      refreshRun();
      return;
    }
    void fetchPage(location.href).then((fetched) => {
      if (!('error' in fetched)) morphElement(fetched.document, run.id);
      refreshRun();
    });
  }, seconds * 1000);
}

rememberList();
customElements.define('record-list', RecordList);
refreshRun();

/** A page that has been changed in place has new rows, which are not selected. */
document.addEventListener('page-shown', () => document.querySelector<RecordList>('record-list')?.showTicks());

document.addEventListener(
  'keydown',
  (event) => {
    const list = document.querySelector<RecordList>('record-list');
    const isOff = document.documentElement.dataset['shortcuts'] === 'off' && event.key.length === 1;
    if (!list || isOff || event.ctrlKey || event.altKey || event.metaKey || isTyping(event)) return;
    if (document.querySelector('dialog[open], details.menu[open]')) return;
    if (list.press(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  },
  true,
);

// Back and forward between states of the list, which did not load pages.
window.addEventListener('popstate', () => void goTo(location.href, 'none'));
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Backspace' || !(event.target instanceof Element)) return;
  const chip = event.target.matches('.chip-parts') ? event.target.closest('[data-chip]') : null;
  chip?.querySelector<HTMLElement>('.chip-remove')?.click();
});
