// The page of a ledger: lines are edited and changed in place. Without it each change is a page.
import { announce } from './announce.ts';
import { discardDraft } from './drafts.ts';
import { fetchPage, goTo, morphElement, morphInto } from './morph.ts';
import { isTyping } from './shortcuts.ts';

/** Sends a form of a page and shows the page that answers in place of this one. */
async function sendInline(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  if (form.hasAttribute('aria-busy')) return;
  form.setAttribute('aria-busy', 'true');
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter)) if (typeof value === 'string') body.append(name, value);
  const sent = fieldValues(form);
  const fetched = await fetchPage(form.action, { method: 'POST', body, staysSignedOut: true });
  form.removeAttribute('aria-busy');
  const typed = [...fieldValues(form)].filter(([id, value]) => sent.get(id) !== value);
  if ('error' in fetched) showError(fetched.error);
  else if (fetched.status < 400) showDone(form, fetched);
  else if (!showInDialog(form, fetched.document)) showPage(fetched);
  if (form.id !== LINE_FORM) restoreTyped(typed);
}

/** Returns the values of the fields of a form by their ids. */
function fieldValues(form: HTMLFormElement): ReadonlyMap<string, string> {
  const fields = form.querySelectorAll<FormField>('.input[id]');
  return new Map(Array.from(fields, ({ id, value }) => [id, value]));
}

type FormField = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Puts back what was typed while the answer was under way, and previews it if the preview depends on it. */
function restoreTyped(typed: readonly (readonly [string, string])[]): void {
  let previewed: FormField | undefined;
  for (const [id, value] of typed) {
    const field = document.querySelector<FormField>(`.input#${CSS.escape(id)}`);
    if (!field) continue;
    field.value = value;
    if (field.matches('[data-preview]') && field !== document.activeElement) previewed = field;
  }
  if (previewed) preview(previewed.form);
}

/** Shows the page after a successful change; its URL says what was done. Navigates if it is another page. */
function showDone(form: HTMLFormElement, fetched: AnsweredPage): void {
  const next = new URL(fetched.address);
  if (next.pathname !== location.pathname) {
    location.assign(fetched.address);
    return;
  }
  const focused = form.id === LINE_FORM ? '' : (document.activeElement?.id ?? '');
  if (form.id === LINE_FORM) closeLineForm(form);
  discardDraft(form);
  history.replaceState({}, '', fetched.address);
  const isOpen = fetched.document.getElementById(LINE_FORM) !== null;
  showPage(fetched, { focused, changed: isOpen ? undefined : next.searchParams.get('lines')?.split('.')[0] });
}

const LINE_FORM = 'line-form';

/** Removes the form of a saved line, so that the form of the next one starts empty. Leaving a field stores a draft. */
function closeLineForm(form: HTMLFormElement): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  form.remove();
}

type AnsweredPage = Exclude<Awaited<ReturnType<typeof fetchPage>>, { readonly error: string }>;

/** Replaces this page with a fetched one. `focused`, `changed`: what gets the focus. */
function showPage(
  fetched: AnsweredPage,
  { focused = '', changed }: { readonly focused?: string; readonly changed?: string | undefined } = {},
): void {
  const current = currentRow()?.id;
  if (!morphElement(fetched.document, 'main')) location.assign(fetched.address);
  showToasts(fetched.document);
  markCurrent(current);
  document.dispatchEvent(new CustomEvent('page-shown'));
  restoreFocus(focused, changed);
  announce(document.querySelector('.toast p')?.textContent ?? '');
}

/** Shows the refusal of a form in its open dialog. Returns false if the form has none. */
function showInDialog(form: HTMLFormElement, fetched: Document): boolean {
  const open = form.querySelector<HTMLDialogElement>('dialog[open]');
  const current = open?.querySelector('.dialog-body');
  const next = open && fetched.getElementById(open.id)?.querySelector('.dialog-body');
  if (!current || !next) return false;
  morphInto(current, next);
  current.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  return true;
}

/** Shows a failure where refusals are shown. */
function showError(text: string): void {
  const note = document.getElementById('inline-error') ?? document.createElement('p');
  note.id = 'inline-error';
  note.className = 'banner danger';
  note.setAttribute('role', 'alert');
  note.textContent = text;
  document.querySelector('.ledger-tools')?.before(note);
}

/** Toasts are outside of the part of the page that is changed. */
function showToasts(fetched: Document): void {
  const [current, next] = [document.getElementById('toasts'), fetched.getElementById('toasts')];
  if (current && next) current.replaceWith(next);
}

/** Returns the row that keys move from. */
function currentRow(): Element | null {
  return document.querySelector('.ledger-lines tr.current');
}

/** Makes a row the current one again: the page that was fetched has none. */
function markCurrent(id: string | undefined): void {
  if (id !== undefined) document.getElementById(id)?.classList.add('current');
}

/** Puts the focus back on what had it, else on the line that was changed. */
function restoreFocus(id: string, line: string | undefined): void {
  const control = id === '' ? null : document.getElementById(id);
  const row =
    line === undefined ? null : document.querySelector<HTMLElement>(`#line-${CSS.escape(line)} th a:last-of-type`);
  (control ?? row ?? document.querySelector<HTMLElement>('[aria-invalid=true], [data-edit-first]'))?.focus();
}

document.addEventListener(
  'submit',
  (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches('[data-inline]')) return;
    // What leads to another page is sent by the browser.
    if (event.submitter?.hasAttribute('data-leaves') === true) return;
    event.preventDefault();
    event.stopPropagation();
    void sendInline(form, event.submitter);
  },
  true,
);

/** Previews a changed amount, transaction number or use of a column at once, if the form is valid. */
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return;
  if (target.matches('[data-preview]')) preview(target.form);
});

function preview(form: HTMLFormElement | null): void {
  if (form?.matches(':valid') === true) form.requestSubmit(form.querySelector<HTMLElement>('button[value=preview]'));
}

/** Cells that are pasted into their field are previewed; rows of a spreadsheet that are pasted elsewhere, there. */
document.addEventListener('paste', (event) => {
  const { target, clipboardData } = event;
  if (!(target instanceof Element)) return;
  if (target.matches('[data-paste-cells]')) {
    // The field has the text after this event.
    setTimeout(() => preview(target.closest('form')));
    return;
  }
  const text = clipboardData?.getData('text/plain') ?? '';
  const form = document.querySelector<HTMLFormElement>('#paste-rows');
  const cells = form?.querySelector<HTMLTextAreaElement>('textarea');
  const isField = target.closest('input, textarea, [contenteditable]') !== null;
  if (!form || !cells || !text.includes('\t') || (isField && target.closest('#line-form') === null)) return;
  event.preventDefault();
  cells.value = text;
  form.requestSubmit();
});

/** The form of a line has the focus as soon as it is shown. */
document.addEventListener('page-shown', () => {
  const form = document.getElementById('line-form');
  if (form && !form.contains(document.activeElement)) form.querySelector<HTMLElement>('[data-edit-first]')?.focus();
});

/** A form that the address opens is below the window on a phone. */
const opened = document.getElementById(LINE_FORM);
opened?.scrollIntoView({ block: 'nearest' });
opened?.querySelector<HTMLElement>('[data-edit-first]')?.focus({ preventScroll: true });

document.addEventListener('keydown', (event) => {
  if (!(event.target instanceof Element) || event.defaultPrevented) return;
  const form = event.target.closest<HTMLFormElement>('#line-form');
  if (form && event.key === 'Escape') {
    event.preventDefault();
    void cancel(form);
  } else if (form && event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit(form.querySelector<HTMLElement>('button[name=Action]'));
  } else if (form || isTyping(event)) return;
  else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') expand(event);
  else if (event.key === 't' && document.documentElement.dataset['shortcuts'] !== 'off') toggleTotal(event);
});

/** What was typed is dropped by the button Cancel as by Esc. Captured: the form is replaced by the next listener. */
document.addEventListener(
  'click',
  ({ target }) => {
    const form = target instanceof Element && target.closest('[data-cancel]')?.closest<HTMLFormElement>('#line-form');
    if (form) discardDraft(form);
  },
  true,
);

/** Includes the current line in the total, or excludes it. */
function toggleTotal(event: KeyboardEvent): void {
  const box = currentRow()?.querySelector<HTMLElement>('.total-box');
  if (!box || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  box.click();
}

/** Closes the form of a line, and goes back to its row. */
async function cancel(form: HTMLFormElement): Promise<void> {
  discardDraft(form);
  const line = form.querySelector<HTMLInputElement>('[name=LineID]')?.value;
  const link = form.querySelector<HTMLAnchorElement>('[data-cancel]');
  if (link && (await goTo(link.href, 'replace'))) restoreFocus('', line);
}

/** Right opens the ledger below the current line, Left closes it. */
function expand(event: KeyboardEvent): void {
  const row = document.activeElement?.closest('tr') ?? currentRow();
  const link = row?.querySelector<HTMLAnchorElement>('[data-expand]');
  if (!link || (link.getAttribute('aria-expanded') === 'true') === (event.key === 'ArrowRight')) return;
  event.preventDefault();
  const { id } = link;
  void goTo(link.href, 'replace').then((isShown) => {
    if (!isShown) return;
    markCurrent(row?.id);
    document.getElementById(id)?.focus();
  });
}
