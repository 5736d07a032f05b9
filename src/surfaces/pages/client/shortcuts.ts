/** How long after `g` a second key is waited for. */
const SEQUENCE_MILLISECONDS = 1500;

/**
 * Presses what declares a key: `data-key="c"` on a button or link, `g` and a place's key for the sidebar, `/` for the
 * search. Single keys are ignored while the focus is in a field, with a modifier, and if the user has turned them off.
 */
export function handleShortcuts(): void {
  let goSince = -SEQUENCE_MILLISECONDS;
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey || event.metaKey || event.repeat || isTyping(event)) return;
    if (event.ctrlKey || document.documentElement.dataset['shortcuts'] === 'off') return;
    if (document.querySelector('dialog[open]') && event.key !== 'Enter') return;
    const target = event.timeStamp - goSince < SEQUENCE_MILLISECONDS ? goTarget(event.key) : keyTarget(event.key);
    goSince = event.key === 'g' && !target ? event.timeStamp : -SEQUENCE_MILLISECONDS;
    if (!target) return;
    event.preventDefault();
    if (target.matches('input, select, textarea')) target.focus();
    else target.click();
  });
}

/** Whether the key goes into a field. */
export function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest(
      'input:not([type=checkbox], [type=radio], [type=file]), textarea, select, [contenteditable], [role=grid]',
    ) !== null
  );
}

function goTarget(key: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-go="${CSS.escape(key)}"]`);
}

/**
 * Returns what a key presses. Something hidden or switched off is not pressed; the first that is visible wins. What is
 * around the focus and has keys of its own (`data-keys`) goes before the page.
 */
function keyTarget(key: string): HTMLElement | undefined {
  const own = document.activeElement
    ?.closest('[data-keys]')
    ?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  if (own && isShown(own)) return own;
  if (key === '/')
    return document.querySelector<HTMLElement>('[data-key="/"]') ?? document.getElementById('find') ?? undefined;
  const all = document.querySelectorAll<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  const shown = [...all].filter((each) => !each.hasAttribute('disabled') && isShown(each));
  // What the page itself offers goes before the frame's.
  return shown.find((each) => each.closest('main') !== null) ?? shown[0];
}

/** An entry of a closed menu is not visible, but its key works. Inert elements are for display only. */
function isShown(element: HTMLElement): boolean {
  return element.closest('[hidden], [inert], dialog:not([open])') === null;
}
