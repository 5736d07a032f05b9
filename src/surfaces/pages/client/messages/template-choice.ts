import { announce } from '../announce.ts';
import { fetchPage, morphInto } from '../morph.ts';

/** Fills a message in when a template is chosen, with the values of the case. Without script a button does. */
export function fillFromTemplates(): void {
  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement && target.dataset['template'] !== undefined && target.value !== '')
      void fill(target);
  });
}

async function fill(select: HTMLSelectElement): Promise<void> {
  const { form } = select;
  if (!form) return;
  const body = new FormData(form);
  body.delete('Content');
  body.set('Step', 'template');
  form.setAttribute('aria-busy', 'true');
  const fetched = await fetchPage(form.action, { method: 'POST', body, staysSignedOut: true });
  form.removeAttribute('aria-busy');
  if ('error' in fetched) {
    announce(fetched.error);
    return;
  }
  const filled = fetched.document.querySelector<HTMLFormElement>('.mail-form');
  if (!filled) return;
  for (const name of ['ToAddress', 'CcAddress', 'BccAddress', 'Subject', 'BodyText', 'Merged'])
    copyField(form, filled, name);
  for (const name of ['.banner', '.field-error']) {
    for (const old of form.querySelectorAll(`:scope > ${name}`)) old.remove();
    const error = filled.querySelector(`:scope > ${name}`);
    if (error) form.prepend(error);
  }
  const documents = filled.querySelector('.mail-attach');
  const own = form.querySelector('.mail-attach');
  if (documents && own) morphInto(own, documents);
  document.dispatchEvent(new CustomEvent('message-filled'));
  announce(`Filled in from ${select.value}.`);
}

function copyField(form: HTMLFormElement, from: HTMLFormElement, name: string): void {
  const [field, other] = [form.elements.namedItem(name), from.elements.namedItem(name)];
  const isField = (of: unknown): of is HTMLInputElement | HTMLTextAreaElement =>
    of instanceof HTMLInputElement || of instanceof HTMLTextAreaElement;
  if (!isField(field) || !isField(other)) return;
  field.value = other.value;
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
