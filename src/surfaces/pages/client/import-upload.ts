import { announce } from './announce.ts';
import { csrfToken } from './call.ts';

/** The beginning of a file that is sent to detect which import types fit. */
const DETECTION_BYTES = 4 * 1024 * 1024;

/** The parts of a form that sends a file. */
interface UploadForm {
  readonly form: HTMLFormElement;
  readonly file: HTMLInputElement;
  readonly type: HTMLInputElement | HTMLSelectElement;
  readonly button: HTMLButtonElement;
  readonly cancel: HTMLButtonElement;
  readonly sending: HTMLElement;
  readonly failed: HTMLElement;
}

/** Makes forms with `data-send` send their file as the body of an import, with progress, and open the import's page. */
export function watchUploads(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-send]')) watchUpload(formParts(form));
}

function formParts(form: HTMLFormElement): UploadForm {
  const part = (selector: string): HTMLElement => {
    const found = form.querySelector<HTMLElement>(selector);
    if (!found) throw new Error(`the form has no ${selector}`);
    return found;
  };
  return {
    form,
    file: part('#file') as HTMLInputElement,
    type: part('#template') as HTMLInputElement | HTMLSelectElement,
    button: part('button:not([type])') as HTMLButtonElement,
    cancel: part('#cancel') as HTMLButtonElement,
    sending: part('#sending'),
    failed: part('#failed'),
  };
}

function watchUpload(parts: UploadForm): void {
  const { form, file, type, button } = parts;
  button.disabled = false;
  // After a return through the browser's history, the page must work again.
  window.addEventListener('pageshow', () => {
    button.disabled = false;
  });
  if (form.dataset['detect'] !== undefined) {
    file.addEventListener('change', () => void suggest(parts));
    // A type that the address names counts as chosen.
    if (type.value !== '') type.dataset['chosen'] = 'true';
    type.addEventListener('change', () => {
      type.dataset['chosen'] = 'true';
    });
  }
  watchDrops(parts);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const sent = file.files?.[0];
    if (!button.disabled && sent) send(parts, sent);
  });
}

/** Takes a file that is dropped anywhere on the page. */
function watchDrops({ form, file }: UploadForm): void {
  const hasFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
  document.addEventListener('dragover', (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    form.classList.add('dropping');
  });
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) form.classList.remove('dropping');
  });
  document.addEventListener('drop', (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    form.classList.remove('dropping');
    const [first] = event.dataTransfer?.files ?? [];
    if (!first) return;
    const chosen = new DataTransfer();
    chosen.items.add(first);
    file.files = chosen.files;
    file.dispatchEvent(new Event('change', { bubbles: true }));
    file.focus();
  });
}

function addressOf({ form, type }: UploadForm, name: string): string {
  const reference = form.querySelector<HTMLInputElement>('#reference')?.value.trim() ?? '';
  const query = new URLSearchParams({ PreTransform_FileName: name });
  const operation = form.dataset['send'] ?? '';
  if (operation === 'import') return `/api/import/${encodeURIComponent(type.value)}?${query}`;
  query.set(type.name, type.value);
  if (reference !== '') query.set('Reference', reference);
  return `/api/${operation}?${query}&Output=Xml`;
}

/** An import type that fits a file. `Expected`: how many columns it expects. */
interface FittingType {
  readonly ImportFileTemplateID: number;
  readonly Expected: number;
}

/** Shows which import types fit the file, and selects the best one unless the user has chosen. */
async function suggest({ form, file, type }: UploadForm): Promise<void> {
  const fits = form.querySelector('#fits');
  const sent = file.files?.[0];
  if (!fits) return;
  fits.textContent = '';
  if (!sent) return;
  const found = await detect(sent);
  if (!found || file.files?.[0] !== sent) return;
  const options = fittingOptions(type, found);
  // The type that expects the most columns is least likely to fit by chance. Between two that expect as many, only the
  // user can choose.
  const [first, second] = options;
  const isClear = first !== undefined && (second === undefined || first.expected > second.expected);
  if (isClear && type.dataset['chosen'] !== 'true') type.value = first.option.value;
  fits.textContent =
    options.length === 0
      ? 'No import type matches this file.'
      : `Matches: ${options.map(({ option }) => option.textContent).join(', ')}.`;
}

async function detect(file: File): Promise<readonly FittingType[] | undefined> {
  const query = new URLSearchParams({ FileName: file.name, Output: 'Json' });
  try {
    const response = await fetch(`/api/importfile/detectbody?${query}`, {
      method: 'POST',
      headers: { 'X-CSRF-Token': csrfToken(), 'Content-Type': 'application/octet-stream' },
      body: file.slice(0, DETECTION_BYTES),
    });
    if (!response.ok) return undefined;
    const answer = (await response.json()) as {
      ImportFileTemplateCollection?: { ImportFileTemplateItem?: FittingType | readonly FittingType[] };
    };
    return [answer.ImportFileTemplateCollection?.ImportFileTemplateItem ?? []].flat();
  } catch {
    return undefined;
  }
}

/** Returns the offered types that fit, the likeliest first. Those that accept any file count only if no other fits. */
function fittingOptions(
  type: UploadForm['type'],
  found: readonly FittingType[],
): readonly { readonly option: HTMLOptionElement; readonly expected: number }[] {
  const fitting = [...found]
    .sort((a, b) => b.Expected - a.Expected)
    .flatMap(({ ImportFileTemplateID: id, Expected: expected }) => {
      const option = type.querySelector<HTMLOptionElement>(`option[data-id="${id}"]`);
      return option ? [{ option, expected }] : [];
    });
  return (fitting[0]?.expected ?? 0) > 0 ? fitting.filter(({ expected }) => expected > 0) : fitting;
}

function send(parts: UploadForm, file: File): void {
  const { button, cancel, sending, failed } = parts;
  const request = new XMLHttpRequest();
  const leaving = (event: Event): void => event.preventDefault();
  const ready = (isReady: boolean): void => {
    button.disabled = !isReady;
    cancel.hidden = isReady;
    sending.hidden = isReady;
    if (isReady) window.removeEventListener('beforeunload', leaving);
    else window.addEventListener('beforeunload', leaving);
  };
  const fail = (text: string): void => {
    ready(true);
    announce('');
    failed.textContent = text;
    failed.className = text === '' ? '' : 'banner danger';
  };
  fail('');
  ready(false);
  announce(`Uploading ${file.name}`);
  cancel.onclick = () => request.abort();
  request.upload.onprogress = ({ loaded, total }) => showProgress(sending, loaded, total);
  request.upload.onload = () => {
    // The import has begun and does not depend on this connection. Its page can stop it.
    cancel.hidden = true;
    announce('File uploaded. It is being imported, and you can also find it in the list of imports.');
  };
  request.onload = () => {
    const id = importOf(request.responseXML);
    if (id === undefined) {
      fail(messageOf(request.responseXML) ?? `Upload failed (status ${request.status}).`);
      return;
    }
    ready(true);
    button.disabled = true;
    location.assign(`/imports/${id}?done=sent`);
  };
  request.onabort = () => fail('Upload canceled');
  request.onerror = () =>
    fail('The connection to the server was lost. Check the list of imports to see if the file arrived.');
  request.open('POST', addressOf(parts, file.name));
  request.setRequestHeader('X-CSRF-Token', csrfToken());
  request.setRequestHeader(
    'Content-Type',
    /\.xml$/i.test(file.name) ? 'text/xml; charset=utf-8' : 'application/octet-stream',
  );
  request.send(file);
}

function showProgress(place: HTMLElement, loaded: number, total: number): void {
  const percent = total === 0 ? 100 : Math.floor((loaded / total) * 100);
  const bar = place.querySelector('progress');
  const words = place.querySelector('.rows');
  if (bar) bar.value = percent;
  if (words) words.textContent = `${megabytes(loaded)} of ${megabytes(total)} MB, ${percent} %`;
}

function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(1);
}

/**
 * Returns the import's id from an answer: ImportResults of one imported at once, or the import file of one that was
 * queued.
 */
function importOf(answer: Document | null): string | undefined {
  const root = answer?.documentElement;
  const text =
    root?.nodeName === 'ImportResults' ? root.getAttribute('ID') : root?.querySelector('ImportFileID')?.textContent;
  return text && /^\d+$/.test(text) ? text : undefined;
}

function messageOf(answer: Document | null): string | undefined {
  return answer?.documentElement.querySelector('Message')?.textContent ?? undefined;
}
