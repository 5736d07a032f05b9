import { fetchPage, morphElement } from '../morph.ts';

/** How long typing must rest before inputs are tried. */
const DELAY_MILLISECONDS = 250;

/** Tries inputs while they are changed, and marks the row that decides. Trying them saves nothing. */
export function watchTrial(): void {
  const form = document.getElementById('trial-form');
  if (!(form instanceof HTMLFormElement) || !document.querySelector('matrix-grid')) return;
  let timer: ReturnType<typeof setTimeout>;
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void tryAgain(form), DELAY_MILLISECONDS);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    clearTimeout(timer);
    void tryAgain(form);
  });
  document.addEventListener('matrix-saved', () => {
    if ([...new FormData(form).values()].some((value) => value !== '')) void tryAgain(form);
  });
  markWinner();
}

async function tryAgain(form: HTMLFormElement): Promise<void> {
  const sent = [...new FormData(form)].flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && value.trim() !== '' ? [[name, value]] : [],
  );
  const fetched = await fetchPage(`${form.action}?${new URLSearchParams(sent).toString()}`);
  if ('error' in fetched) return;
  morphElement(fetched.document, 'trial');
  markWinner();
}

function markWinner(): void {
  for (const row of document.querySelectorAll('.matrix .wins')) row.classList.remove('wins');
  const winner = document.getElementById('trial')?.dataset['winner'];
  if (winner !== undefined) document.getElementById(`row-${winner}`)?.classList.add('wins');
}
