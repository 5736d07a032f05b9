/** If no page follows a submit within this time, the form can be sent again. */
const LOCK_MILLISECONDS = 3000;

/**
 * Sends each form once, shows that it is being sent, and asks before a form with changes (`form.entry`) is left. What
 * is switched off for a reason (`data-disabled`) does nothing.
 */
export function guardForms(): void {
  const changed = new Set<HTMLFormElement>();
  const sent = new WeakMap<HTMLFormElement, number>();

  document.addEventListener('input', ({ target }) => {
    const form = target instanceof Element ? target.closest<HTMLFormElement>('form.entry') : null;
    if (form) changed.add(form);
  });
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.method !== 'post') return;
    const last = sent.get(form);
    if (last !== undefined && event.timeStamp - last < LOCK_MILLISECONDS) {
      event.preventDefault();
      return;
    }
    sent.set(form, event.timeStamp);
    changed.delete(form);
    const { submitter } = event;
    submitter?.setAttribute('aria-busy', 'true');
    setTimeout(() => submitter?.removeAttribute('aria-busy'), LOCK_MILLISECONDS);
  });
  document.addEventListener('click', (event) => {
    if (event.target instanceof Element && event.target.closest('[data-disabled]')) event.preventDefault();
  });
  window.addEventListener('beforeunload', (event) => {
    if ([...changed].some((form) => form.isConnected)) event.preventDefault();
  });
  // After a return through the browser's history, the page must work again.
  window.addEventListener('pageshow', () => {
    for (const busy of document.querySelectorAll('[aria-busy]')) busy.removeAttribute('aria-busy');
  });
}
