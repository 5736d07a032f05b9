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
  document.addEventListener('toggle', ({ target }) => placeInTable(target), true);
  document.addEventListener('scroll', () => openMenus().forEach(placeInTable), { capture: true, passive: true });
}

/** Distances of a menu from its button, and from the edge of the window, in pixels. */
const [BESIDE, EDGE] = [4, 12];

/** Shows an open menu of a table above it: the table scrolls, and would cut the menu off. A phone has it as a sheet. */
function placeInTable(menu: EventTarget | null): void {
  if (!(menu instanceof HTMLDetailsElement) || !menu.matches('.table-scroll details.menu[open]')) return;
  const entries = menu.querySelector<HTMLElement>('.menu-entries');
  const head = menu.querySelector('summary')?.getBoundingClientRect();
  if (!entries || !head || matchMedia('(max-width: 719px)').matches) return;
  entries.style.position = 'fixed';
  entries.style.inset = 'auto';
  const { width, height } = entries.getBoundingClientRect();
  const isBelow = head.bottom + BESIDE + height + EDGE <= innerHeight || head.top < height;
  entries.style.top = `${isBelow ? head.bottom + BESIDE : head.top - BESIDE - height}px`;
  entries.style.left = `${Math.max(EDGE, Math.min(head.right, innerWidth - EDGE) - width)}px`;
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
