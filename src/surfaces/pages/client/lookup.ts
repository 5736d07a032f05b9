import { csrfToken } from './call.ts';
import { fetchPage } from './morph.ts';

const DELAY_MILLISECONDS = 200;
const CHARACTERS_MIN = 2;

/** Offers records for fields with `data-lookup`, by their labels and people. Fields may be added later. */
export function addLookups(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.dataset['lookup'] === undefined) return;
    clearTimeout(timer);
    const text = target.value.trim();
    if (text.length >= CHARACTERS_MIN) timer = setTimeout(() => void offer(target, text), DELAY_MILLISECONDS);
  });
  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement && target.dataset['lookup'] !== undefined) nameChosen(target);
  });
}

/** Says which record was chosen: the field has only its number. */
function nameChosen(input: HTMLInputElement): void {
  const hint = document.getElementById(`${input.id}-hint`);
  const chosen = [...(input.list?.querySelectorAll('option') ?? [])].find(({ value }) => value === input.value);
  if (hint && chosen) hint.textContent = `Chosen: ${chosen.textContent}`;
}

async function offer(input: HTMLInputElement, text: string): Promise<void> {
  const type = input.dataset['lookup'] ?? '';
  const body = new URLSearchParams({ Text: text, _csrf: csrfToken() });
  const fetched = await fetchPage(`/choices/${type}`, { method: 'POST', body, staysSignedOut: true });
  if ('error' in fetched || input.value.trim() !== text) return;
  choicesOf(input).replaceChildren(...fetched.document.querySelectorAll('option'));
}

/** Returns the list of choices of a field, which it gets with the first ones. */
function choicesOf(input: HTMLInputElement): HTMLElement {
  if (input.list) return input.list;
  const list = document.createElement('datalist');
  list.id = `${input.id}-choices`;
  input.after(list);
  input.setAttribute('list', list.id);
  return list;
}
