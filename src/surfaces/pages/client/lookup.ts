// Fields for records: what is typed finds records by their labels, and the form sends the ID of the one that is chosen.
import { announce } from './announce.ts';
import { csrfToken } from './call.ts';
import { fetchPage } from './morph.ts';

const DELAY_MILLISECONDS = 200;
const CHARACTERS_MIN = 2;

interface Choice {
  readonly id: string;
  readonly label: string;
}

/** The choices that are open below a field. */
interface OpenList {
  readonly input: HTMLInputElement;
  readonly list: HTMLElement;
  readonly choices: readonly Choice[];
  /** Index of the choice that Enter chooses. */
  current: number;
}

/** The record that a field names, by its label. */
const chosen = new WeakMap<HTMLInputElement, Choice>();
let open: OpenList | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Offers records for fields with `data-lookup`, by their labels and people. Fields may be added later. */
export function addLookups(): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('input[data-lookup]')) showLabel(input);
  document.addEventListener('focusin', ({ target }) => {
    if (isLookup(target)) prepare(target);
  });
  document.addEventListener('focusout', ({ target }) => {
    if (open?.input === target) close();
  });
  document.addEventListener('input', ({ target }) => {
    if (isLookup(target)) offerSoon(target);
  });
  document.addEventListener('keydown', press, true);
  document.addEventListener('formdata', sendChosen);
  document.addEventListener('submit', resolveFirst, true);
}

/** Whether a field with `data-lookup` is empty, or names one record. */
export function namesRecord(input: HTMLInputElement): boolean {
  const text = input.value.trim();
  return text === '' || /^\d+$/.test(text) || chosen.get(input)?.label === text;
}

function isLookup(target: EventTarget | null): target is HTMLInputElement {
  return target instanceof HTMLInputElement && target.dataset['lookup'] !== undefined;
}

/** Shows the label of a field's present record instead of its ID. */
function showLabel(input: HTMLInputElement): void {
  const { shown } = input.dataset;
  if (shown === undefined || chosen.has(input) || input.value === '' || input.value !== input.defaultValue) return;
  chosen.set(input, { id: input.value, label: shown });
  input.defaultValue = shown;
  input.value = shown;
}

function prepare(input: HTMLInputElement): void {
  showLabel(input);
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-autocomplete', 'list');
  if (open?.input !== input) input.setAttribute('aria-expanded', 'false');
}

function offerSoon(input: HTMLInputElement): void {
  clearTimeout(timer);
  close();
  input.setCustomValidity('');
  const text = input.value.trim();
  if (text.length < CHARACTERS_MIN) return;
  timer = setTimeout(() => {
    void fetchChoices(input, text).then((choices) => {
      if (document.activeElement === input && input.value.trim() === text) show(input, choices);
    });
  }, DELAY_MILLISECONDS);
}

/** Returns the records that a text may mean; of an empty one the first of their type, where these are few. */
async function fetchChoices(input: HTMLInputElement, text: string): Promise<readonly Choice[]> {
  const body = new URLSearchParams({ Text: text, _csrf: csrfToken() });
  const type = input.dataset['lookup'] ?? '';
  const fetched = await fetchPage(`/choices/${type}`, { method: 'POST', body, staysSignedOut: true });
  if ('error' in fetched) return [];
  return [...fetched.document.querySelectorAll('option')].map(({ value, textContent }) => ({
    id: value,
    label: textContent.trim(),
  }));
}

function show(input: HTMLInputElement, choices: readonly Choice[]): void {
  close();
  const found = choices.length === 0 ? 'Nothing found' : `${choices.length} found`;
  announce(found);
  showHint(input, choices.length === 0 ? found : undefined);
  if (choices.length === 0) return;
  prepare(input);
  const list = document.createElement('ul');
  list.className = 'lookup-choices';
  list.id = `${input.id || input.name}-choices`;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Choices');
  for (const [at, { label }] of choices.entries()) {
    const option = list.appendChild(document.createElement('li'));
    option.id = `${list.id}-${at}`;
    option.setAttribute('role', 'option');
    option.textContent = label;
    // Before the field loses the focus, which closes the list.
    option.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      choose(input, choices[at]);
    });
  }
  input.after(list);
  input.parentElement?.classList.add('has-choices');
  list.style.top = `${input.offsetTop + input.offsetHeight + 4}px`;
  list.style.left = `${input.offsetLeft}px`;
  list.style.minWidth = `${input.offsetWidth}px`;
  input.setAttribute('aria-expanded', 'true');
  input.setAttribute('aria-controls', list.id);
  open = { input, list, choices, current: -1 };
  moveTo(0);
}

/** Shows a text in place of the field's hint, or the hint again. */
function showHint(input: HTMLInputElement, text: string | undefined): void {
  const hint = document.getElementById(`${input.id}-hint`);
  // A link in the hint is not replaced.
  if (!hint || hint.childElementCount > 0 || (text === undefined && hint.dataset['hint'] === undefined)) return;
  hint.dataset['hint'] ??= hint.textContent;
  hint.textContent = text ?? hint.dataset['hint'];
}

function close(): void {
  if (!open) return;
  const { input, list } = open;
  open = undefined;
  list.remove();
  input.parentElement?.classList.remove('has-choices');
  input.setAttribute('aria-expanded', 'false');
  input.removeAttribute('aria-controls');
  input.removeAttribute('aria-activedescendant');
}

function moveTo(at: number): void {
  if (!open) return;
  const options = [...open.list.querySelectorAll('[role=option]')];
  open.current = (at + options.length) % options.length;
  for (const [index, option] of options.entries()) option.setAttribute('aria-selected', String(index === open.current));
  options[open.current]?.scrollIntoView({ block: 'nearest' });
  open.input.setAttribute('aria-activedescendant', `${open.list.id}-${open.current}`);
}

function choose(input: HTMLInputElement, choice: Choice | undefined): void {
  if (!choice) return;
  clearTimeout(timer);
  chosen.set(input, choice);
  input.value = choice.label;
  close();
  input.dispatchEvent(new Event('input', { bubbles: true }));
  input.dispatchEvent(new Event('change', { bubbles: true }));
  clearTimeout(timer);
  announce(`Chosen: ${choice.label}`);
}

/** Keys of a field with choices: the arrows move, Enter and Tab choose, Escape closes. */
function press(event: KeyboardEvent): void {
  const { target, key } = event;
  if (!isLookup(target) || event.ctrlKey || event.metaKey || event.altKey) return;
  const isTaken = open?.input === target ? pressInList(open, key) : key === 'ArrowDown' && offerNow(target);
  if (!isTaken) return;
  event.preventDefault();
  event.stopPropagation();
}

function offerNow(input: HTMLInputElement): true {
  clearTimeout(timer);
  void fetchChoices(input, input.value.trim()).then((choices) => {
    if (document.activeElement === input) show(input, choices);
  });
  return true;
}

/** Returns whether the key was taken: Tab also goes to the next field. */
function pressInList({ input, choices, current }: OpenList, key: string): boolean {
  if (key === 'Escape') close();
  else if (key === 'ArrowDown') moveTo(current + 1);
  else if (key === 'ArrowUp') moveTo(current - 1);
  else if (key === 'Enter' || key === 'Tab') choose(input, choices[current]);
  else return false;
  return key !== 'Tab';
}

/** Sends the IDs of chosen records instead of their labels. */
function sendChosen({ target, formData }: FormDataEvent): void {
  if (!(target instanceof HTMLFormElement)) return;
  for (const input of target.querySelectorAll<HTMLInputElement>('input[data-lookup]')) {
    const choice = chosen.get(input);
    if (choice?.label === input.value && formData.has(input.name)) formData.set(input.name, choice.id);
  }
}

/** Finds the records of texts that were entered without choosing one, before the form is sent. */
function resolveFirst(event: SubmitEvent): void {
  const { target: form, submitter } = event;
  if (!(form instanceof HTMLFormElement)) return;
  const open = [...form.querySelectorAll<HTMLInputElement>('input[data-lookup]')].filter(
    (input) => !namesRecord(input) && !acceptsText(input),
  );
  if (open.length === 0) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  void Promise.all(open.map(resolve)).then((resolved) => {
    if (resolved.every(Boolean)) form.requestSubmit(submitter);
    else form.reportValidity();
  });
}

/** Whether the server takes the text as it is. `data-accepts`: such texts, or `*`. */
function acceptsText({ dataset, value }: HTMLInputElement): boolean {
  const accepted = dataset['accepts'];
  return accepted !== undefined && (accepted === '*' || accepted === value.trim().toLowerCase());
}

/** Chooses the one record that has the text as its label. Returns whether there is one. */
async function resolve(input: HTMLInputElement): Promise<boolean> {
  const text = input.value.trim().toLowerCase();
  const found = (await fetchChoices(input, text)).filter(({ label }) =>
    [label, label.split(' · ')[0]].some((name) => name?.toLowerCase() === text),
  );
  if (found.length === 1) choose(input, found[0]);
  else input.setCustomValidity('Choose one of the list: type the beginning of its name, then press Enter.');
  return found.length === 1;
}
