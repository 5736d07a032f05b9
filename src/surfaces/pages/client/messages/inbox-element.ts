import { announce } from '../announce.ts';
import { callOperation } from '../call.ts';
import { fetchPage, goTo, morphElement } from '../morph.ts';
import { isTyping } from '../shortcuts.ts';
import { renewSidebar } from '../sidebar-counts.ts';

/** The conversation follows the current row after this time, so that moving through rows fetches only the last. */
const PREVIEW_MILLISECONDS = 80;

/**
 * The inbox: `j` and `k` move and show a conversation without marking it as read; Enter and a click open it, which
 * does.
 * `e` marks it as read and shows the next, `u` marks it as unread.
 */
class MessageInbox extends HTMLElement {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly gone = new AbortController();

  connectedCallback(): void {
    const { signal } = this.gone;
    this.addEventListener('click', (event) => this.pressed(event), { signal });
    document.addEventListener('keydown', (event) => this.key(event), { signal, capture: true });
    window.addEventListener('popstate', () => void goTo(location.href, 'none'), { signal });
  }

  disconnectedCallback(): void {
    this.gone.abort();
  }

  private get lines(): HTMLAnchorElement[] {
    return [...this.querySelectorAll<HTMLAnchorElement>('.thread-line')];
  }

  private get current(): HTMLAnchorElement | null {
    return this.querySelector('.thread-line[aria-current]');
  }

  private key(event: KeyboardEvent): void {
    const isOff = document.documentElement.dataset['shortcuts'] === 'off' && event.key.length === 1;
    if (isOff || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || isTyping(event)) return;
    if (document.querySelector('dialog[open], details.menu[open], #bell-panel')) return;
    if (!this.press(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Returns whether the key was taken. */
  private press(key: string): boolean {
    if (key === 'j') this.move(1);
    else if (key === 'k') this.move(-1);
    else if (key === 'e' && this.current) void this.done();
    else if (key === 'u' && this.current) void this.markUnread();
    else return false;
    return true;
  }

  private move(by: 1 | -1): void {
    const { lines, current } = this;
    const before = by === 1 ? -1 : lines.length;
    const at = current ? lines.indexOf(current) : before;
    const next = lines[Math.max(0, Math.min(lines.length - 1, at + by))];
    if (!next || next === current) return;
    this.select(next);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.show(next, true), PREVIEW_MILLISECONDS);
  }

  private select(line: HTMLAnchorElement): void {
    this.current?.removeAttribute('aria-current');
    line.setAttribute('aria-current', 'true');
    line.scrollIntoView({ block: 'nearest' });
    line.focus({ preventScroll: true });
  }

  private pressed(event: MouseEvent): void {
    if (!(event.target instanceof Element) || event.defaultPrevented) return;
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const line = event.target.closest<HTMLAnchorElement>('.thread-line');
    const back = event.target.closest<HTMLAnchorElement>('.thread-back a');
    const kind = event.target.closest<HTMLAnchorElement>('.inbox-kinds a');
    if (line) {
      event.preventDefault();
      this.select(line);
      clearTimeout(this.timer);
      void this.show(line, false);
    } else if (back) {
      event.preventDefault();
      this.classList.remove('has-thread');
      history.replaceState({}, '', back.href);
      this.current?.focus();
    } else if (kind) {
      event.preventDefault();
      void goTo(kind.href);
    }
  }

  /** Shows the conversation of a row. `isLookedAt`: it stays unread. */
  private async show(line: HTMLAnchorElement, isLookedAt: boolean): Promise<void> {
    const pane = this.querySelector<HTMLElement>('#inbox-thread');
    if (!pane) return;
    const address = new URL(line.href);
    if (isLookedAt) address.searchParams.set('Part', 'preview');
    pane.setAttribute('aria-busy', 'true');
    const fetched = await fetchPage(address);
    // Meanwhile another row may be current.
    if (this.current !== line) return;
    pane.removeAttribute('aria-busy');
    if ('error' in fetched) {
      pane.textContent = fetched.error;
      return;
    }
    if (!morphElement(fetched.document, 'inbox-thread')) return;
    pane.scrollTop = 0;
    this.classList.add('has-thread');
    history.replaceState({}, '', line.href);
    announce(pane.querySelector('h2')?.textContent ?? '');
    if (!isLookedAt && line.classList.contains('unread')) {
      showRead(line);
      void renewCounts();
    }
  }

  /** Marks the current conversation as read and shows the next unread one, else the next. */
  private async done(): Promise<void> {
    const { current, lines } = this;
    if (!current) return;
    const ids = [...this.querySelectorAll<HTMLElement>('.inbox-thread .mail.unread')].map(messageOf);
    if (ids.length > 0) {
      const { error } = await callOperation('message/markread', { ID: ids });
      if (error !== undefined) {
        announce(error);
        return;
      }
    }
    showRead(current);
    void renewCounts();
    const after = lines.slice(lines.indexOf(current) + 1);
    const next = after.find((line) => line.classList.contains('unread')) ?? after[0];
    if (next) {
      this.select(next);
      await this.show(next, true);
    } else announce('Marked as read. This was the last conversation.');
  }

  private async markUnread(): Promise<void> {
    const { current } = this;
    const mails = [...this.querySelectorAll<HTMLElement>('.inbox-thread .mail')];
    const last = mails.findLast((mail) => mail.hasAttribute('data-received')) ?? mails.at(-1);
    if (!current || !last) return;
    const { error } = await callOperation('message/markunread', { ID: [messageOf(last)] });
    if (error === undefined) {
      current.classList.add('unread');
      last.classList.add('unread');
      void renewCounts();
    }
    announce(error ?? 'Marked as unread.');
  }
}

/** Fetches the sidebar's entries again, and shows the number of unread conversations at the inbox's tab too. */
async function renewCounts(): Promise<void> {
  await renewSidebar();
  const tab = document.querySelector('.tabs a[href="/messages"][aria-current]');
  if (!tab) return;
  const unread = document.querySelector('[data-sidebar-counts] a[href="/messages"] .count')?.firstChild?.textContent;
  let mark = tab.querySelector('.count');
  if (unread === undefined || unread === null || unread === '') {
    mark?.remove();
    return;
  }
  if (!mark) {
    mark = document.createElement('span');
    mark.className = 'count';
    tab.append(mark);
  }
  mark.textContent = unread;
}

function messageOf(mail: HTMLElement): number {
  return Number(mail.id.replace('message-', ''));
}

function showRead(line: HTMLElement): void {
  line.classList.remove('unread');
  line.querySelector('.thread-dot')?.replaceChildren();
}

/** Defines the element of the inbox. */
export function defineInbox(): void {
  customElements.define('message-inbox', MessageInbox);
}
