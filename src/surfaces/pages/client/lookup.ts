import { callOperation } from './call.ts';

const DELAY_MILLISECONDS = 200;
const CHARACTERS_MIN = 2;

/** Offers records for fields with `data-lookup`, by the beginning of their labels. Fields may be added later. */
export function addLookups(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.dataset['lookup'] === undefined) return;
    clearTimeout(timer);
    const text = target.value.trim();
    if (text.length >= CHARACTERS_MIN) timer = setTimeout(() => void offer(target, text), DELAY_MILLISECONDS);
  });
}

async function offer(input: HTMLInputElement, text: string): Promise<void> {
  const { data } = await callOperation('record/find', {
    Text: text,
    Objects: input.dataset['lookup'] ?? '',
    DisplaySize: '10',
  });
  if (data === undefined || input.value.trim() !== text) return;
  const options = rowsOf(data).map((found) => {
    const option = document.createElement('option');
    option.value = String(found['ObjectID']);
    option.textContent = typeof found['Label'] === 'string' ? found['Label'] : '';
    return option;
  });
  choicesOf(input).replaceChildren(...options);
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

/** Returns the rows of a collection as the JSON format writes it: a single row is no array. */
function rowsOf(data: unknown): readonly Record<string, unknown>[] {
  const [collection] = Object.values((data ?? {}) as Record<string, unknown>);
  const [rows] = Object.values((collection ?? {}) as Record<string, unknown>).filter(
    (each) => typeof each === 'object',
  );
  return [rows ?? []].flat() as readonly Record<string, unknown>[];
}
