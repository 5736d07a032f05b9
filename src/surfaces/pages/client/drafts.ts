import { announce } from './announce.ts';

/** What a form held when its user last typed. Only fields that differ from the page are in it. */
interface Draft {
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly at: number;
  /** The form was sent, and it is not known yet whether it arrived. */
  readonly isSent?: true;
}

type FormField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const PREFIX = 'draft:';
/** Typing is stored when it pauses. */
const PAUSE_MILLISECONDS = 400;
const AGE_MILLISECONDS_MAX = 7 * 86_400_000;
/** Names of fields and contents that are never stored in the browser. */
const PRIVATE_NAME = /ssn|password|secret|token|apikey/i;
const PRIVATE_VALUE = /(?<!\d)\d{3}[- ]?\d{2}[- ]?\d{4}(?!\d)/;

/**
 * Keeps what users type in forms (`form.entry`, `form[data-draft="name"]`) until it is saved: a session that ends and a
 * page that is left by mistake lose nothing. Drafts are stored for one user until the tab is closed; passwords and
 * Social Security numbers are not.
 */
export function keepDrafts(): void {
  settleSent();
  for (const form of draftForms()) restore(form);
  document.addEventListener('page-shown', () => {
    for (const form of draftForms()) restore(form);
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('input', ({ target }) => {
    const form = target instanceof Element ? target.closest<HTMLFormElement>(SELECTOR) : null;
    if (!form) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      if (form.isConnected) store(form);
    }, PAUSE_MILLISECONDS);
  });
  // A click elsewhere may replace the form before the pause ends.
  document.addEventListener('focusout', ({ target }) => {
    const form = target instanceof Element ? target.closest<HTMLFormElement>(SELECTOR) : null;
    if (!form || timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    store(form);
  });
  document.addEventListener('submit', ({ target, defaultPrevented }) => {
    if (!(target instanceof HTMLFormElement) || !target.matches(SELECTOR)) return;
    clearTimeout(timer);
    timer = undefined;
    store(target, !defaultPrevented);
  });
  window.addEventListener('pagehide', () => {
    clearTimeout(timer);
  });
}

/** Deletes the draft of a form that was saved in place, or canceled. */
export function discardDraft(form: HTMLFormElement): void {
  const key = keyOf(form);
  if (key !== undefined) write(key, undefined);
}

const SELECTOR = 'form.entry[method=post], form[data-draft]';

function draftForms(): NodeListOf<HTMLFormElement> {
  return document.querySelectorAll<HTMLFormElement>(SELECTOR);
}

/** Returns under which name a form's draft is stored; undefined where nobody is signed in. */
function keyOf(form: HTMLFormElement): string | undefined {
  const { person } = document.documentElement.dataset;
  if (person === undefined) return undefined;
  return `${PREFIX}${person}:${form.dataset['draft'] ?? form.getAttribute('action') ?? location.pathname}`;
}

function fieldsOf(form: HTMLFormElement): FormField[] {
  return [...form.elements].filter((field): field is FormField => {
    if (field instanceof HTMLInputElement)
      return !['hidden', 'password', 'file', 'submit', 'button'].includes(field.type) && isStorable(field);
    return (field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement) && isStorable(field);
  });
}

function isStorable(field: FormField): boolean {
  return field.name !== '' && !PRIVATE_NAME.test(field.name) && !('private' in field.dataset);
}

function isTicked(field: FormField): field is HTMLInputElement {
  return field instanceof HTMLInputElement && ['checkbox', 'radio'].includes(field.type);
}

function isChanged(field: FormField): boolean {
  if (isTicked(field)) return field.checked !== field.defaultChecked;
  if (field instanceof HTMLSelectElement) return isOtherOption(field);
  return field.value !== field.defaultValue;
}

/** Whether other options are selected than at first, when a browser selects the first if the page names none. */
function isOtherOption({ options, selectedIndex }: HTMLSelectElement): boolean {
  const all = [...options];
  const hasDefault = all.some(({ defaultSelected }) => defaultSelected);
  return (hasDefault || selectedIndex > 0) && all.some((option) => option.selected !== option.defaultSelected);
}

/** Returns what a field holds: its text, or the values that are chosen. */
function valuesOf(field: FormField, all: readonly FormField[]): string[] {
  if (isTicked(field))
    return all.filter((each) => each.name === field.name && isTicked(each) && each.checked).map(({ value }) => value);
  if (field instanceof HTMLSelectElement) return [...field.selectedOptions].map(({ value }) => value);
  return [field.value];
}

function store(form: HTMLFormElement, isSent = false): void {
  const key = keyOf(form);
  if (key === undefined) return;
  const fields = fieldsOf(form);
  const values = Object.fromEntries(
    fields
      .filter(isChanged)
      .map((field) => [field.name, valuesOf(field, fields)] as const)
      .filter(([, of]) => !of.some((value) => PRIVATE_VALUE.test(value))),
  );
  if (Object.keys(values).length === 0) return write(key, undefined);
  write(key, { values, at: now(), ...(isSent && { isSent }) });
}

/** Storage may be full or off; then there is no draft. */
function write(key: string, draft: Draft | undefined): void {
  try {
    if (draft) sessionStorage.setItem(key, JSON.stringify(draft));
    else sessionStorage.removeItem(key);
  } catch {
    return;
  }
}

function read(key: string): Draft | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as Draft | undefined;
  } catch {
    return undefined;
  }
}

/** Puts a form's draft back, and says so. A form that the server has refused has all that was typed already. */
function restore(form: HTMLFormElement): void {
  const key = keyOf(form);
  const draft = key === undefined ? undefined : read(key);
  if (key === undefined || !draft || form.querySelector('[aria-invalid=true]')) return;
  const fields = fieldsOf(form);
  let isRestored = false;
  for (const field of fields) isRestored = restoreField(field, draft.values[field.name]) || isRestored;
  if (isRestored) offerDiscard(form, key, draft);
}

/** Returns whether the field has become another. */
function restoreField(field: FormField, values: readonly string[] | undefined): boolean {
  if (values === undefined) return false;
  if (isTicked(field)) {
    const before = field.checked;
    field.checked = values.includes(field.value);
    return field.checked !== before;
  }
  const [value = ''] = values;
  if (field.value === value) return false;
  field.value = value;
  return true;
}

function offerDiscard(form: HTMLFormElement, key: string, { at, isSent }: Draft): void {
  form.querySelector('.draft-note')?.remove();
  const note = document.createElement('p');
  note.className = 'draft-note';
  const time = new Date(at).toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' });
  const text = isSent
    ? `You sent this at ${time}, and no answer came. Check whether it arrived before you send it again.`
    : `What you typed at ${time} is here and not saved yet.`;
  const discard = document.createElement('button');
  discard.type = 'button';
  discard.className = 'link';
  discard.textContent = 'Discard';
  discard.addEventListener('click', () => {
    write(key, undefined);
    form.reset();
    note.remove();
    form.querySelector<HTMLElement>('input:not([type=hidden]), textarea, select')?.focus();
  });
  note.append(text, ' ', discard);
  form.prepend(note);
  announce(text);
}

/**
 * Deletes drafts of forms that arrived: the page that answers a form is a new one. After going back, or at the sign-in
 * page, they may not have arrived.
 */
function settleSent(): void {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const isAnswer = navigation?.type === 'navigate' && location.pathname !== '/signin';
  for (const key of Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX))) {
    const draft = read(key);
    const isOld = !draft || now() - draft.at > AGE_MILLISECONDS_MAX;
    if (isOld || (draft.isSent && isAnswer)) write(key, undefined);
    else if (draft.isSent && location.pathname === '/signin') write(key, { values: draft.values, at: draft.at });
  }
}

/** Returns the time, in milliseconds since 1970. */
function now(): number {
  return Math.round(performance.timeOrigin + performance.now());
}
