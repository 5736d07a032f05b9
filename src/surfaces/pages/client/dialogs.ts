/** Opens the dialog that a pressed button or link names (`data-dialog`). The focus returns where it came from. */
export function watchDialogs(): void {
  document.addEventListener('click', (event) => {
    if (!(event.target instanceof Element)) return;
    const opener = event.target.closest<HTMLElement>('[data-dialog]');
    const dialog = opener && document.getElementById(opener.dataset['dialog'] ?? '');
    if (opener && dialog instanceof HTMLDialogElement) {
      event.preventDefault();
      dialog.showModal();
      dialog.addEventListener('close', () => opener.focus(), { once: true });
    } else if (event.target.closest('[data-close]')) event.target.closest('dialog')?.close();
    // A click on the backdrop has the dialog itself as its target.
    else if (event.target instanceof HTMLDialogElement && isOutside(event, event.target)) event.target.close();
  });
}

function isOutside({ clientX, clientY }: MouseEvent, dialog: HTMLDialogElement): boolean {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}
