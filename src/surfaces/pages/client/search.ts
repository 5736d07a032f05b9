// The keys of the page of search results: j and k, or the arrows, move between the results; Enter opens one.
import { isTyping } from './shortcuts.ts';

document.addEventListener('keydown', (event) => {
  const isOff = document.documentElement.dataset['shortcuts'] === 'off' && event.key.length === 1;
  if (isOff || event.ctrlKey || event.altKey || event.metaKey) return;
  const isFromField = isTyping(event);
  const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  // From the field the arrow leads to the first result; letters are typed.
  if (by === undefined || (isFromField && event.key !== 'ArrowDown')) return;
  if (document.querySelector('dialog[open], details.menu[open]')) return;
  const links = [...document.querySelectorAll<HTMLElement>('#results .hit-link')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = links[at + by];
  if (at + by < 0) document.getElementById('text')?.focus();
  else next?.focus();
  event.preventDefault();
});
