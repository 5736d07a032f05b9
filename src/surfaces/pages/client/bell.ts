import { announce } from './announce.ts';
import { callOperation } from './call.ts';
import { fetchPage, morphInto } from './morph.ts';

const COUNT_SHOWN_MAX = 99;

/**
 * Opens the latest notifications over the page with the bell, and counts unread ones anew when one comes or is read,
 * also in another tab. With a modifier key the bell is the link that it is without script.
 */
export function watchBell(): void {
  const bell = theBell();
  bell?.setAttribute('role', 'button');
  bell?.setAttribute('aria-haspopup', 'dialog');
  bell?.setAttribute('aria-expanded', 'false');
  bell?.addEventListener('keydown', (event) => {
    if (event.key !== ' ') return;
    event.preventDefault();
    bell.click();
  });
  document.addEventListener('live-changed', (event) => {
    const topics = (event as CustomEvent<readonly string[]>).detail;
    if (!topics.includes('me/notification')) return;
    void countAgain();
    if (openPanel()) void showPanel();
  });
  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (target?.closest('[data-bell]') && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      if (openPanel()) closePanel();
      else void showPanel(true);
    } else if (!target?.closest('#bell-panel')) openPanel()?.remove();
  });
  document.addEventListener('keydown', (event) => {
    const panel = openPanel();
    if (!panel || (event.key !== 'Escape' && !panel.contains(document.activeElement))) return;
    if (event.key === 'Escape') closePanel();
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') moveFocus(panel, event.key === 'ArrowDown' ? 1 : -1);
    else return;
    event.preventDefault();
  });
  document.addEventListener('focusin', ({ target }) => {
    // Whoever tabs out of the panel has left it.
    if (target instanceof Element && !target.closest('#bell-panel, [data-bell]')) openPanel()?.remove();
  });
  // Before others take the form as one that leads to another page.
  document.addEventListener(
    'submit',
    (event) => {
      const form = event.target instanceof HTMLFormElement ? event.target : null;
      if (form?.matches('#bell-panel [data-mark-read]') !== true) return;
      event.preventDefault();
      event.stopPropagation();
      void markRead(form.querySelector<HTMLInputElement>('[name=UpTo]')?.value ?? '');
    },
    true,
  );
}

function openPanel(): HTMLElement | null {
  return document.getElementById('bell-panel');
}

function theBell(): HTMLElement | null {
  return document.querySelector<HTMLElement>('[data-bell]');
}

/** Shows the panel as it is now. `isNew`: the user has just opened it, so the focus goes there. */
async function showPanel(isNew = false): Promise<void> {
  const bell = theBell();
  bell?.setAttribute('aria-expanded', 'true');
  const fetched = await fetchPage('/notifications/panel');
  if ('error' in fetched) {
    bell?.setAttribute('aria-expanded', 'false');
    announce(fetched.error);
    return;
  }
  const next = fetched.document.getElementById('bell-panel');
  const current = openPanel();
  if (!next || !bell) return;
  if (current) morphInto(current, next);
  else if (isNew) bell.after(next);
  if (isNew) (links(next)[0] ?? next).focus();
}

function closePanel(): void {
  openPanel()?.remove();
  theBell()?.setAttribute('aria-expanded', 'false');
  theBell()?.focus();
}

function links(panel: HTMLElement): HTMLElement[] {
  return [...panel.querySelectorAll<HTMLElement>('.notification > a')];
}

function moveFocus(panel: HTMLElement, by: 1 | -1): void {
  const all = links(panel);
  const at = all.findIndex((link) => link === document.activeElement);
  all[Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
}

async function markRead(upTo: string): Promise<void> {
  const { error } = await callOperation('notification/markallread', { UpTo: upTo });
  if (error !== undefined) {
    announce(error);
    return;
  }
  announce('All marked as read.');
  await Promise.all([showPanel(), countAgain()]);
  openPanel()?.focus();
}

async function countAgain(): Promise<void> {
  const mark = document.querySelector<HTMLElement>('[data-bell] .bell-count');
  const { data } = await callOperation('notification/count', {});
  const { Unread: unread } = (data ?? {}) as { readonly Unread?: number };
  if (!mark || unread === undefined) return;
  const before = mark.hidden ? 0 : Number.parseInt(mark.textContent, 10);
  mark.hidden = unread === 0;
  const words = mark.querySelector('.hidden');
  mark.replaceChildren(unread > COUNT_SHOWN_MAX ? `${COUNT_SHOWN_MAX}+` : String(unread), ...(words ? [words] : []));
  if (unread > before) announce(`${unread} unread notifications`);
}
