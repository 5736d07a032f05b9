import { namesRecord } from './lookup.ts';
import { fetchPage, morphElement } from './morph.ts';

/** How long typing must rest before values are tried. */
const DELAY_MILLISECONDS = 250;

/** Tries values while they are changed, and marks the row that decides. Trying them saves nothing. */
export function watchTrial(): void {
  const form = document.getElementById('trial-form');
  if (!(form instanceof HTMLFormElement)) return;
  let timer: ReturnType<typeof setTimeout>;
  form.addEventListener('input', ({ target }) => {
    clearTimeout(timer);
    // A record is tried once it is chosen: what is typed before that is searched.
    if (target instanceof HTMLInputElement && target.dataset['lookup'] !== undefined && !namesRecord(target)) return;
    timer = setTimeout(() => void tryAgain(form), DELAY_MILLISECONDS);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    clearTimeout(timer);
    void tryAgain(form, event.submitter);
  });
  document.addEventListener('matrix-saved', () => {
    if (hasEntries(form)) void tryAgain(form);
  });
  markWinner();
}

/** Returns what was entered in the form. */
function entriesOf(form: HTMLFormElement): [string, string][] {
  return [...new FormData(form)].flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && value.trim() !== '' ? [[name, value]] : [],
  );
}

const hasEntries = (form: HTMLFormElement): boolean => entriesOf(form).some(([name]) => name !== '_csrf');

async function tryAgain(form: HTMLFormElement, submitter?: HTMLElement | null): Promise<void> {
  const body = new URLSearchParams(entriesOf(form));
  if (submitter instanceof HTMLButtonElement && submitter.name !== '') body.set(submitter.name, submitter.value);
  const fetched = await fetchPage(form.action, { method: 'POST', body });
  if ('error' in fetched) return;
  morphElement(fetched.document, 'trial-form');
  morphElement(fetched.document, 'trial');
  markWinner();
}

function markWinner(): void {
  for (const row of document.querySelectorAll('.matrix .wins')) row.classList.remove('wins');
  const winner = document.getElementById('trial')?.dataset['winner'];
  if (winner !== undefined) document.getElementById(`row-${winner}`)?.classList.add('wins');
}
