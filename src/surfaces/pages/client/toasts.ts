const SHOWN_MILLISECONDS = 8000;

const watched = new WeakSet<HTMLElement>();

/** Lets toasts disappear after 8 seconds, not while they have the pointer or the focus; later ones, too. */
export function watchToasts(): void {
  expireNew();
  document.addEventListener('page-shown', expireNew);
}

function expireNew(): void {
  for (const toast of document.querySelectorAll<HTMLElement>('.toast')) {
    if (watched.has(toast)) continue;
    watched.add(toast);
    expire(toast);
  }
}

function expire(toast: HTMLElement): void {
  let timer: ReturnType<typeof setTimeout>;
  const start = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => toast.remove(), SHOWN_MILLISECONDS);
  };
  const wait = (): void => clearTimeout(timer);
  toast.addEventListener('pointerenter', wait);
  toast.addEventListener('focusin', wait);
  toast.addEventListener('pointerleave', start);
  toast.addEventListener('focusout', start);
  start();
}
