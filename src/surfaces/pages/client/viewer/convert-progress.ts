import { announce } from '../announce.ts';
import { fetchPage, morphElement } from '../morph.ts';

/**
 * Sends a form that converts the document, and shows for how long that has been going on. The page with the result is
 * then opened; a refusal is shown on this page. A second submit meanwhile does nothing.
 */
export function convertByScript(event: SubmitEvent): void {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.matches('[data-convert]')) return;
  event.preventDefault();
  const line = document.querySelector<HTMLElement>('[data-convert-progress]');
  if (!line || form.dataset['converting'] === '') return;
  form.dataset['converting'] = '';
  void convert(form, event.submitter, line).finally(() => delete form.dataset['converting']);
}

async function convert(form: HTMLFormElement, submitter: HTMLElement | null, line: HTMLElement): Promise<void> {
  const menu = form.querySelector('details');
  menu?.removeAttribute('open');
  menu?.querySelector('summary')?.focus();
  showState(line, 'Converting to PDF. Office documents can take a minute.');
  const seconds = line.querySelector('[data-convert-seconds]');
  const since = performance.now();
  const timer = setInterval(() => {
    seconds?.replaceChildren(`${Math.round((performance.now() - since) / 1000)} s`);
  }, 1000);
  const body = new URLSearchParams([...new FormData(form, submitter)] as [string, string][]);
  const fetched = await fetchPage(form.action, { method: 'POST', body });
  clearInterval(timer);
  seconds?.replaceChildren();
  if ('error' in fetched) showState(line, fetched.error, false);
  else if (fetched.status === 200) location.assign(fetched.address);
  else if (!morphElement(fetched.document, 'viewer-notes')) showState(line, 'The document was not converted.', false);
}

function showState(line: HTMLElement, words: string, isRunning = true): void {
  line.hidden = false;
  line.querySelector('progress')?.toggleAttribute('hidden', !isRunning);
  line.querySelector('[data-convert-words]')?.replaceChildren(words);
  announce(words);
}
