/** Something that a key does on this page. */
export interface PageAction {
  readonly key: string;
  readonly text: string;
  readonly element: HTMLElement;
  /** `go`: the key follows `g`. `page`: it is in the page itself; `frame`: around it, on every page. */
  readonly kind: 'page' | 'go' | 'frame';
}

/**
 * Returns what keys do on this page, from what declares them: `data-key` and `data-go`. It is the one table of
 * shortcuts, of which the palette, the list of keys and the keys themselves are made.
 */
export function pageActions(): readonly PageAction[] {
  const seen = new Set<string>();
  return [...document.querySelectorAll<HTMLElement>('[data-key], [data-go]')].flatMap((element) => {
    const { key, go } = element.dataset;
    const kind = go === undefined ? placeOf(element) : 'go';
    const pressed = go ?? key ?? '';
    const text = nameOf(element);
    if (pressed === '' || text === '' || seen.has(`${kind} ${pressed}`) || !isUsable(element)) return [];
    seen.add(`${kind} ${pressed}`);
    return [{ key: pressed, text, element, kind }];
  });
}

function placeOf(element: HTMLElement): 'page' | 'frame' {
  return element.closest('main') ? 'page' : 'frame';
}

/** Returns the name by which a control is read: its label, or its text without what is hidden from readers. */
function nameOf(element: HTMLElement): string {
  const label = element.getAttribute('aria-label');
  if (label !== null) return label;
  if (element instanceof HTMLInputElement) return element.placeholder || element.name;
  const copy = element.cloneNode(true) as HTMLElement;
  for (const hidden of copy.querySelectorAll('[aria-hidden=true], .count, kbd, svg')) hidden.remove();
  return copy.textContent.replace(/\s+/g, ' ').trim();
}

function isUsable(element: HTMLElement): boolean {
  return !element.hasAttribute('disabled') && element.closest('[hidden], dialog:not([open])') === null;
}
