/** Scrolls tabs that do not fit the screen, as on a phone, so that the current one is in the middle. */
export function showCurrentTab(): void {
  for (const tab of document.querySelectorAll<HTMLElement>('.tabs > [aria-current]')) {
    const tabs = tab.parentElement;
    if (!tabs || tabs.scrollWidth <= tabs.clientWidth) continue;
    const [outer, inner] = [tabs.getBoundingClientRect(), tab.getBoundingClientRect()];
    tabs.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
  }
}
