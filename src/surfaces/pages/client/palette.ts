import { csrfToken } from './call.ts';
import { pageActions, type PageAction } from './page-actions.ts';
import { recentPages, rememberPage } from './recent.ts';

/** How long typing must pause before the server is asked. */
const PAUSE_MILLISECONDS = 60;
const CHARACTERS_MIN = 2;
const ACTIONS_MAX = 6;

/** Opens the palette with Ctrl K, and where the search at the top is used. */
export function watchPalette(): void {
  rememberPage();
  if (!document.body.classList.contains('app')) return;
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    Palette.open('');
  });
  const find = document.getElementById('find');
  if (!(find instanceof HTMLInputElement)) return;
  find.addEventListener('click', () => {
    Palette.open('');
  });
  // A key typed into the field of the top bar is the first of the palette's text.
  find.addEventListener('input', () => {
    const { value } = find;
    find.value = '';
    Palette.open(value);
  });
}

/** The dialog. It is made when it is first opened, and opens empty each time. */
class Palette {
  private static current: Palette | undefined;

  /** Opens the palette with a text, or closes it. */
  static open(text: string): void {
    this.current ??= new Palette();
    this.current.show(text);
  }

  private readonly dialog = document.createElement('dialog');
  private readonly input: HTMLInputElement;
  private readonly list: HTMLElement;
  private readonly count: HTMLElement;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private request: AbortController | undefined;
  /** Whether the cursor was moved since the text changed: results then only come below. */
  private isMoved = false;
  /** Whether the server has yet to answer to the text. Its results that are shown are then of an earlier text. */
  private isPending = false;
  /** Enter was pressed before the answer: the first result is opened when it comes. */
  private awaited: { readonly inNewTab: boolean } | undefined;
  private actions: readonly PageAction[] = [];
  private returnTo: HTMLElement | null = null;

  constructor() {
    this.dialog.className = 'palette';
    this.dialog.setAttribute('aria-label', 'Search and commands');
    this.dialog.append(...paletteParts());
    const mark = document.querySelector('.find svg')?.cloneNode(true);
    if (mark) this.dialog.querySelector('.palette-field')?.prepend(mark);
    document.body.append(this.dialog);
    this.input = required(this.dialog, 'input') as HTMLInputElement;
    this.list = required(this.dialog, '.palette-list');
    this.count = required(this.dialog, '[role=status]');
    this.input.addEventListener('input', () => {
      this.changed();
    });
    this.dialog.addEventListener('keydown', (event) => {
      this.pressed(event);
    });
    this.list.addEventListener('click', (event) => {
      const option = event.target instanceof Element ? event.target.closest<HTMLElement>('[role=option]') : null;
      if (option && this.run(option, event.ctrlKey || event.metaKey)) event.preventDefault();
    });
    this.dialog.addEventListener('close', () => {
      clearTimeout(this.timer);
      this.request?.abort();
      this.awaited = undefined;
      this.returnTo?.focus();
    });
  }

  private show(text: string): void {
    if (this.dialog.open) {
      this.dialog.close();
      return;
    }
    const active = document.activeElement;
    this.returnTo = active instanceof HTMLElement && active !== document.body ? active : null;
    this.actions = pageActions();
    this.input.value = text;
    this.dialog.showModal();
    this.input.focus();
    this.changed();
  }

  private changed(): void {
    clearTimeout(this.timer);
    this.request?.abort();
    this.isMoved = false;
    this.awaited = undefined;
    const text = this.input.value.trim();
    const shown = text.length < CHARACTERS_MIN ? [] : [...this.list.querySelectorAll('[data-from=server]')];
    this.list.replaceChildren(...this.recentGroup(text), ...shown, ...this.actionGroups(text));
    this.number();
    this.select(this.options()[0]);
    this.isPending = text.length >= CHARACTERS_MIN;
    if (this.isPending) this.timer = setTimeout(() => void this.ask(text), PAUSE_MILLISECONDS);
    else this.report('');
  }

  /** Asks the server. Its results stand before the actions, unless the cursor has been moved: then they come below. */
  private async ask(text: string): Promise<void> {
    const request = (this.request = new AbortController());
    const began = performance.now();
    let fetched: Document;
    try {
      const body = new URLSearchParams({ Text: text, _csrf: csrfToken() });
      const response = await fetch('/palette', { method: 'POST', body, signal: request.signal });
      if (!response.ok) throw new Error(String(response.status));
      fetched = new DOMParser().parseFromString(await response.text(), 'text/html');
    } catch {
      if (request.signal.aborted) return;
      this.isPending = false;
      this.report('No connection to the server. Press Enter to try again.');
      return;
    }
    this.isPending = false;
    const groups = [...fetched.querySelectorAll<HTMLElement>('[role=group]')];
    for (const group of groups) group.dataset['from'] = 'server';
    if (this.isMoved) this.addBelow(groups);
    else {
      for (const old of this.list.querySelectorAll('[data-from=server]')) old.remove();
      const recent = this.list.querySelector('[data-from=recent]');
      if (recent) recent.after(...groups);
      else this.list.prepend(...groups);
      this.number();
      this.select(this.options()[0]);
    }
    const results = this.list.querySelectorAll<HTMLElement>('[data-from=server] [role=option]');
    const count = results.length;
    this.report(`${count} ${count === 1 ? 'result' : 'results'} in ${Math.round(performance.now() - began)} ms`);
    const [first] = results;
    if (this.awaited && first) this.open(first, this.awaited.inNewTab);
  }

  private addBelow(groups: readonly HTMLElement[]): void {
    const known = new Set(this.options().map((option) => option.getAttribute('href')));
    for (const group of groups) {
      for (const option of group.querySelectorAll('[role=option]'))
        if (known.has(option.getAttribute('href'))) option.remove();
      if (group.querySelector('[role=option]')) this.list.append(group);
    }
    this.number();
  }

  private recentGroup(text: string): readonly HTMLElement[] {
    const recent = recentPages().filter(({ href, text: name }) => href !== location.pathname && matches(name, text));
    if (recent.length === 0) return [];
    const group = groupOf('Recently opened', recent.slice(0, text === '' ? RECENT_SHOWN : 2).map(recentOption));
    group.dataset['from'] = 'recent';
    return [group];
  }

  private actionGroups(text: string): readonly HTMLElement[] {
    const shown = this.actions.filter((action) => matches(action.text, text));
    const options = (kind: PageAction['kind']): readonly HTMLElement[] =>
      shown.flatMap((action) => (action.kind === kind ? [this.actionOption(action)] : [])).slice(0, ACTIONS_MAX);
    const title = document.title.replace(/ · Casewright$/, '').slice(0, 60);
    return [
      ...[options('page')].filter(({ length }) => length > 0).map((of) => groupOf(`On ${title}`, of)),
      ...[options('go')].filter(({ length }) => length > 0).map((of) => groupOf('Go to', of)),
      ...[options('frame')].filter(({ length }) => length > 0).map((of) => groupOf('Everywhere', of)),
    ];
  }

  private actionOption(action: PageAction): HTMLElement {
    const option = optionOf(action.text, action.kind === 'go' ? `G ${action.key}` : action.key);
    option.dataset['action'] = String(this.actions.indexOf(action));
    const mark = action.element.querySelector('svg')?.cloneNode(true);
    if (mark) option.firstElementChild?.append(mark);
    return option;
  }

  private options(): readonly HTMLElement[] {
    return [...this.list.querySelectorAll<HTMLElement>('[role=option]')];
  }

  /** Gives each option an id, by which the field names the current one. */
  private number(): void {
    for (const [at, option] of this.options().entries()) option.id = `palette-${at}`;
    const isEmpty = this.options().length === 0;
    this.input.setAttribute('aria-expanded', String(!isEmpty));
    this.list.querySelector('.palette-empty')?.remove();
  }

  private select(option: HTMLElement | undefined): void {
    for (const each of this.list.querySelectorAll('[aria-selected=true]')) each.setAttribute('aria-selected', 'false');
    option?.setAttribute('aria-selected', 'true');
    option?.scrollIntoView({ block: 'nearest' });
    if (option) this.input.setAttribute('aria-activedescendant', option.id);
    else this.input.removeAttribute('aria-activedescendant');
  }

  private pressed(event: KeyboardEvent): void {
    const options = this.options();
    const at = options.findIndex((option) => option.getAttribute('aria-selected') === 'true');
    const selected = options[at];
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : -1;
      this.isMoved = true;
      this.awaited = undefined;
      this.select(options[(at + step + options.length) % Math.max(options.length, 1)]);
    } else if (event.key === 'Enter') {
      this.enter(selected, event.ctrlKey || event.metaKey);
    } else return;
    event.preventDefault();
  }

  /** Opens the selected option; a result of an earlier text never, but the first one of the present text. */
  private enter(selected: HTMLElement | undefined, inNewTab: boolean): void {
    const isOld = this.isPending && !this.isMoved && selected?.closest('[data-from=server]') !== null;
    if (selected && !isOld) this.open(selected, inNewTab);
    else {
      if (!this.isPending) this.changed();
      this.awaited = { inNewTab };
    }
  }

  private open(option: HTMLElement, inNewTab: boolean): void {
    if (this.run(option, inNewTab)) return;
    const href = option.getAttribute('href') ?? '';
    if (inNewTab) window.open(href, '_blank', 'noopener');
    else location.assign(href);
  }

  /** Carries out an action of the page. Returns whether the option is one. */
  private run(option: HTMLElement, inNewTab: boolean): boolean {
    const action = this.actions[Number(option.dataset['action'] ?? Number.NaN)];
    if (!action) return false;
    this.returnTo = null;
    this.dialog.close();
    if (inNewTab && action.element instanceof HTMLAnchorElement) window.open(action.element.href, '_blank', 'noopener');
    else if (action.element instanceof HTMLInputElement) action.element.focus();
    else action.element.click();
    return true;
  }

  private report(words: string): void {
    this.count.textContent = words;
  }
}

const RECENT_SHOWN = 6;

function recentOption({ href, text }: { readonly href: string; readonly text: string }): HTMLElement {
  const option = optionOf(text);
  option.setAttribute('href', href);
  return option;
}

/** Whether each word of a text begins a word of a name. */
function matches(name: string, text: string): boolean {
  const words = name.toLowerCase().split(/[\s,/-]+/);
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.some((of) => of.startsWith(word)));
}

function groupOf(title: string, options: readonly HTMLElement[]): HTMLElement {
  const group = document.createElement('div');
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', title);
  const head = document.createElement('div');
  head.className = 'palette-title';
  head.setAttribute('aria-hidden', 'true');
  head.textContent = title;
  group.append(head, ...options);
  return group;
}

function optionOf(text: string, keys?: string): HTMLElement {
  const option = document.createElement('a');
  option.setAttribute('role', 'option');
  option.setAttribute('aria-selected', 'false');
  option.tabIndex = -1;
  const [mark, label, detail] = ['span', 'span', 'span'].map((name) => document.createElement(name));
  mark?.setAttribute('aria-hidden', 'true');
  if (label) Object.assign(label, { className: 'palette-label', textContent: text });
  if (detail) detail.className = 'palette-detail';
  option.append(...[mark, label, detail].filter((part) => part !== undefined));
  if (keys !== undefined) option.append(keyMarks(keys));
  return option;
}

function keyMarks(keys: string): HTMLElement {
  const marks = document.createElement('span');
  marks.className = 'keys';
  marks.setAttribute('aria-hidden', 'true');
  for (const key of keys.split(' ')) {
    const mark = document.createElement('kbd');
    mark.textContent = key.length === 1 ? key.toUpperCase() : key;
    marks.append(mark);
  }
  return marks;
}

function paletteParts(): readonly Node[] {
  const parts = new DOMParser().parseFromString(
    `<div class="palette-field"><input type="text" role="combobox" aria-label="Search and commands"
 placeholder="Search cases, people, documents and commands" aria-controls="palette-list"
 aria-expanded="false" aria-autocomplete="list" autocomplete="off" spellcheck="false">
<span class="keys" aria-hidden="true"><kbd>Esc</kbd></span></div>
<div class="palette-list" id="palette-list" role="listbox" aria-label="Results" tabindex="-1"></div>
<div class="palette-foot"><span><kbd>↑</kbd> <kbd>↓</kbd> move</span><span><kbd>↵</kbd> open</span>
<span><kbd>Ctrl</kbd> <kbd>↵</kbd> new tab</span><span role="status"></span></div>`,
    'text/html',
  );
  return [...parts.body.children];
}

function required(within: Element, selector: string): HTMLElement {
  const found = within.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`the palette has no ${selector}`);
  return found;
}
