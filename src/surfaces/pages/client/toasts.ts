const SHOWN_MILLISECONDS = 8000;

/** Lets toasts disappear after 8 seconds, not while they have the pointer or the focus. */
export function watchToasts(): void {
  for (const toast of document.querySelectorAll<HTMLElement>('.toast')) expire(toast);
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
