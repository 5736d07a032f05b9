/** Most pixels of a mail that are shown at once; a longer one scrolls. */
const HEIGHT_MAX = 4_000;

/**
 * Makes the frames of mail as high as their contents, and loads images that the reader asks for. The frames run no
 * scripts.
 */
export function showFrames(): void {
  for (const frame of document.querySelectorAll<HTMLIFrameElement>('.mail-frame')) watch(frame);
  const added = new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes)
        if (node instanceof Element)
          for (const frame of node.matches('.mail-frame') ? [node] : node.querySelectorAll('.mail-frame'))
            watch(frame as HTMLIFrameElement);
  });
  added.observe(document.body, { childList: true, subtree: true });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-show-images]') : null;
    if (!link || event.ctrlKey || event.metaKey) return;
    const frame = link.closest('.mail-body')?.querySelector<HTMLIFrameElement>('.mail-frame');
    if (!frame) return;
    event.preventDefault();
    frame.src = link.dataset['showImages'] ?? frame.src;
    link.closest('[data-images]')?.remove();
    frame.focus();
  });
}

const watched = new WeakSet<HTMLIFrameElement>();

function watch(frame: HTMLIFrameElement): void {
  if (watched.has(frame)) return;
  watched.add(frame);
  frame.addEventListener('load', () => fit(frame));
  // A folded mail has no height until it is opened.
  frame.closest('details')?.addEventListener('toggle', () => fit(frame));
  fit(frame);
}

function fit(frame: HTMLIFrameElement): void {
  const { contentDocument: shown } = frame;
  // While it is loading, there is no body yet.
  const body = shown?.querySelector('body');
  if (!shown || !body || shown.URL === 'about:blank') return;
  const height = Math.max(shown.documentElement.offsetHeight, body.scrollHeight);
  if (height > 0) frame.style.height = `${Math.min(height + 2, HEIGHT_MAX)}px`;
}
