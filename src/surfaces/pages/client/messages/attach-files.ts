import { announce } from '../announce.ts';
import { UploadJob } from '../upload/upload-job.ts';

/**
 * Uploads files that are chosen for a message at once, as documents of the case, and lists them as attached. Without
 * script one file is sent along with the message.
 */
export function attachFiles(): void {
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    if (target.matches('.mail-form [name=AttachmentID]')) showCount(target.form);
    if (target.dataset['attachFile'] === undefined || !target.files) return;
    const files = [...target.files];
    target.value = '';
    for (const file of files) void attach(target, file);
  });
  for (const input of document.querySelectorAll<HTMLInputElement>('[data-attach-file]')) input.multiple = true;
}

async function attach(input: HTMLInputElement, file: File): Promise<void> {
  const list = input.closest('.mail-attach')?.querySelector('.mail-documents');
  if (!list) return;
  const line = document.createElement('li');
  line.className = 'soft small';
  line.textContent = `${file.name}: 0%`;
  list.prepend(line);
  const target = { object: input.dataset['object'] ?? '', id: input.dataset['id'] ?? '', type: '', description: '' };
  const job = new UploadJob({ target, file }, ({ state, sent, size, error }) => {
    if (state === 'failed') line.textContent = `${file.name}: ${error}`;
    else if (state !== 'done') line.textContent = `${file.name}: ${Math.round((100 * sent) / Math.max(1, size))}%`;
  });
  await job.run();
  if (job.documentId === undefined) {
    line.classList.add('late');
    announce(line.textContent);
    return;
  }
  line.replaceChildren(attachedBox(file.name, job.documentId));
  line.className = '';
  showCount(input.form);
  announce(`${file.name} is attached.`);
}

function attachedBox(name: string, id: number): HTMLElement {
  const label = document.createElement('label');
  label.className = 'check';
  const box = Object.assign(document.createElement('input'), {
    type: 'checkbox',
    className: 'tick',
    name: 'AttachmentID',
    value: String(id),
    checked: true,
  });
  const text = document.createElement('span');
  text.textContent = name;
  label.append(box, text);
  return label;
}

function showCount(form: HTMLFormElement | null): void {
  const count = form?.querySelectorAll('[name=AttachmentID]:checked').length ?? 0;
  const shown = form?.querySelector('[data-attached]');
  if (shown) shown.textContent = count === 0 ? '' : `${count} attached`;
}
