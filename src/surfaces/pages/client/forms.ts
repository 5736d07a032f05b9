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
    if (!navigator.onLine) {
      event.preventDefault();
      sendWhenBack(form, event.submitter);
      return;
    }
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

/** The form that waits for the connection, and what ends the wait. */
let waiting: AbortController | undefined;

/**
 * Sends a form once the browser has a network again. Nothing was sent yet, so nothing can be done twice; of several
 * tries the last is sent, once.
 */
function sendWhenBack(form: HTMLFormElement, submitter: HTMLElement | null): void {
  waiting?.abort();
  waiting = new AbortController();
  const { signal } = waiting;
  const note = form.querySelector('.offline-note') ?? document.createElement('p');
  note.className = 'offline-note';
  note.setAttribute('role', 'status');
  note.textContent = 'No connection. This is sent as soon as the connection is back. Keep this page open.';
  form.append(note);
  signal.addEventListener('abort', () => note.remove());
  const send = async (): Promise<void> => {
    await whenReachable(signal);
    if (signal.aborted) return;
    waiting?.abort();
    if (form.isConnected) form.requestSubmit(submitter?.isConnected ? submitter : null);
  };
  window.addEventListener('online', () => void send(), { once: true, signal });
}

const REACH_MILLISECONDS = 250;
const REACH_MILLISECONDS_MAX = 10_000;

/** Waits until the server answers: a browser says that it has a network before it can use it. */
export async function whenReachable(signal: AbortSignal): Promise<void> {
  for (let wait = REACH_MILLISECONDS; !signal.aborted; wait = Math.min(wait * 2, REACH_MILLISECONDS_MAX)) {
    const response = await fetch('/api/healthcheck', { cache: 'no-store', signal }).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
