/** Makes menus close by Esc and by a click elsewhere, and gives them arrows and the first letters of their entries. */
export function watchMenus(): void {
  document.addEventListener('click', ({ target }) => {
    for (const menu of openMenus()) if (!(target instanceof Node) || !menu.contains(target)) menu.open = false;
  });
  document.addEventListener('keydown', (event) => {
    const menu =
      event.target instanceof Element ? event.target.closest<HTMLDetailsElement>('details.menu[open]') : null;
    if (!menu) return;
    if (event.key === 'Escape') close(menu);
    else if (!moveFocus(menu, event.key)) return;
    event.preventDefault();
  });
}

function openMenus(): NodeListOf<HTMLDetailsElement> {
  return document.querySelectorAll('details.menu[open]');
}

function close(menu: HTMLDetailsElement): void {
  menu.open = false;
  menu.querySelector('summary')?.focus();
}

function moveFocus(menu: HTMLElement, key: string): boolean {
  const entries = [...menu.querySelectorAll<HTMLElement>('.menu-entry')];
  const at = entries.findIndex((entry) => entry === document.activeElement);
  const next = targetOf(entries, at, key);
  next?.focus();
  return next !== undefined;
}

function targetOf(entries: readonly HTMLElement[], at: number, key: string): HTMLElement | undefined {
  if (key === 'ArrowDown') return entries[(at + 1) % entries.length];
  if (key === 'ArrowUp') return entries.at(at <= 0 ? -1 : at - 1);
  if (key === 'Home') return entries[0];
  if (key === 'End') return entries.at(-1);
  if (!/^\p{L}$/u.test(key) || at < 0) return undefined;
  const after = [...entries.slice(at + 1), ...entries.slice(0, at + 1)];
  return after.find((entry) => entry.textContent.trim().toLowerCase().startsWith(key.toLowerCase()));
}
