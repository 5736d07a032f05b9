import { announce } from './announce.ts';
import { callOperation } from './call.ts';

const COUNT_SHOWN_MAX = 99;

/** Counts unread notifications anew when one comes or is read, also in another tab. */
export function watchBell(): void {
  document.addEventListener('live-changed', (event) => {
    const topics = (event as CustomEvent<readonly string[]>).detail;
    if (topics.includes('me/notification')) void countAgain();
  });
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
