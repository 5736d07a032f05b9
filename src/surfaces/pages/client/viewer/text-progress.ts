import { announce } from '../announce.ts';
import { fetchPage } from '../morph.ts';

/** How often a text that is being read is fetched, and how often at most: for five minutes. */
const EVERY_MILLISECONDS = 2_000;
const FETCHES_MAX = 150;

/** Shows the text of a viewer's document once it has been read. Reading it changes no record that is watched. */
export function showTextOnceRead(viewer: HTMLElement, signal: AbortSignal): void {
  let left = FETCHES_MAX;
  const timer = setInterval(() => {
    const waiting = viewer.querySelector<HTMLElement>('#viewer-text[data-address]');
    if (!waiting || left-- <= 0) clearInterval(timer);
    else if (!document.hidden) void replaceWhenRead(waiting);
  }, EVERY_MILLISECONDS);
  signal.addEventListener('abort', () => {
    clearInterval(timer);
  });
}

async function replaceWhenRead(waiting: HTMLElement): Promise<void> {
  const fetched = await fetchPage(waiting.dataset['address'] ?? '', { staysSignedOut: true });
  const text = 'error' in fetched ? null : fetched.document.getElementById('viewer-pages');
  if (!text || !waiting.isConnected || text.querySelector('#viewer-text')) return;
  waiting.parentElement?.replaceChildren(...text.childNodes);
  announce('The text of the document is shown.');
}
