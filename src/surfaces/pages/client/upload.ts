/*
 * Uploads documents: files that are chosen in a form with `data-upload`, or dropped anywhere on a page with an element
 * that has `data-upload`. Files that arrive appear in lists with `data-documents` and an id.
 */
import { callOperation } from './call.ts';
import { fetchPage, morphElement } from './morph.ts';
import { openUploads, UploadJob, type UploadTarget } from './upload/upload-job.ts';
import { UploadTray, type TypeChoice } from './upload/upload-tray.ts';

/** Files that are sent at the same time. */
const PARALLEL = 2;
/** Documents that arrive together are shown together. */
const COLLECT_MILLISECONDS = 200;

const jobs = new Set<UploadJob>();
let types: Promise<readonly TypeChoice[]> | undefined;
let refreshing: ReturnType<typeof setTimeout> | undefined;

const tray = new UploadTray({
  resume: (job) => {
    const form = targetElement();
    // What the form says now, where the document was refused for its type or description.
    if (form && job.state === 'failed' && sameRecord(form, job.target)) job.target = targetOf(form);
    job.resume();
    next();
  },
  discard: (job) => {
    void job.discard();
    jobs.delete(job);
    tray.remove(job);
    next();
  },
  types: () => (types ??= readTypes()),
});

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.type !== 'file') return;
  const form = target.closest<HTMLElement>('form[data-upload]');
  if (!form) return;
  add([...(target.files ?? [])], targetOf(form));
  target.value = '';
});
document.addEventListener('dragover', (event) => {
  if (!droppedOn(event)) return;
  event.preventDefault();
  document.documentElement.dataset['dropping'] = '';
});
document.addEventListener('dragleave', ({ relatedTarget }) => {
  if (relatedTarget === null) delete document.documentElement.dataset['dropping'];
});
document.addEventListener('drop', (event) => {
  delete document.documentElement.dataset['dropping'];
  const element = droppedOn(event);
  if (!element) return;
  event.preventDefault();
  // A folder has no type and cannot be read; its size is that of its entry.
  add([...(event.dataTransfer?.files ?? [])], targetOf(element));
});
document.addEventListener('documents-changed', showDocuments);
document.addEventListener('page-shown', prepareForms);
window.addEventListener('beforeunload', (event) => {
  if ([...jobs].some(({ state }) => ['waiting', 'sending', 'offline', 'paused'].includes(state)))
    event.preventDefault();
});
prepareForms();
void listUnfinished();

/** With script a form takes several files, and needs no button. */
function prepareForms(): void {
  for (const form of document.querySelectorAll<HTMLElement>('form[data-upload]')) {
    const input = form.querySelector<HTMLInputElement>('input[type=file]');
    if (input) input.multiple = true;
  }
}

/** The element that names the record of the page; a form first, because it has the type and description. */
function targetElement(): HTMLElement | undefined {
  const forms = document.querySelectorAll<HTMLElement>('form[data-upload]');
  if (forms.length === 1) return forms[0];
  return document.querySelector<HTMLElement>('[data-upload]:not(form)') ?? undefined;
}

function droppedOn({ dataTransfer, target }: DragEvent): HTMLElement | undefined {
  // A field for a file takes what is dropped on it.
  if (dataTransfer?.types.includes('Files') !== true) return undefined;
  if (target instanceof HTMLInputElement && target.type === 'file') return undefined;
  return targetElement();
}

function targetOf(element: HTMLElement): UploadTarget {
  const value = (name: string): string =>
    element.querySelector<HTMLInputElement | HTMLSelectElement>(`[name=${name}]`)?.value.trim() ?? '';
  return {
    object: element.dataset['object'] ?? '',
    id: element.dataset['id'] ?? '',
    type: value('AttachmentTemplateID'),
    description: value('Description'),
  };
}

function sameRecord(element: HTMLElement, { object, id }: UploadTarget): boolean {
  return element.dataset['object'] === object && element.dataset['id'] === id;
}

function add(files: readonly File[], target: UploadTarget): void {
  for (const file of files) {
    const known = [...jobs].find((job) => job.continuesWith(file, target));
    if (known) known.take(file);
    else {
      const job = new UploadJob({ target, file }, changed);
      jobs.add(job);
      tray.show(job);
    }
  }
  next();
}

/** Starts the uploads whose turn it is. */
function next(): void {
  const running = [...jobs].filter(({ state }) => state === 'sending' || state === 'offline').length;
  const waiting = [...jobs].filter(({ state }) => state === 'waiting');
  for (const job of waiting.slice(0, Math.max(0, PARALLEL - running))) void job.run().then(next);
}

function changed(job: UploadJob): void {
  if (!jobs.has(job)) return;
  tray.show(job);
  if (job.state === 'done') showDocuments();
}

/** Lists the uploads of this record that an earlier page began and did not finish. */
async function listUnfinished(): Promise<void> {
  const element = targetElement();
  if (!element) return;
  const { object, id } = targetOf(element);
  for (const each of (await openUploads()) ?? []) {
    if (each.Object !== object || each.ObjectID !== id) continue;
    if ([...jobs].some(({ name, size }) => name === each.FileName && size === each.FileSize)) continue;
    const started = {
      guid: each.upload_name,
      name: each.FileName,
      size: each.FileSize,
      received: each.Received,
    };
    const job = new UploadJob({ target: { object, id, type: '', description: '' }, started }, changed);
    jobs.add(job);
    tray.show(job);
  }
}

/** Shows the documents that have arrived in the page's lists. */
function showDocuments(): void {
  refreshing ??= setTimeout(() => {
    refreshing = undefined;
    const lists = [...document.querySelectorAll('[data-documents][id]')].map(({ id }) => id);
    if (lists.length === 0) return;
    void fetchPage(location.href, { staysSignedOut: true }).then((fetched) => {
      if (!('error' in fetched)) for (const id of lists) morphElement(fetched.document, id);
    });
  }, COLLECT_MILLISECONDS);
}

async function readTypes(): Promise<readonly TypeChoice[]> {
  const { status, data } = await callOperation('attachmenttemplate/search', {
    SqlColumns: 'AttachmentTemplateID,AttachmentTemplate',
    OrderBy: 'AttachmentTemplate',
    DisplaySize: 200,
    RecordCount: 'false',
  });
  if (status !== 200) return [];
  type TypeRow = { readonly AttachmentTemplateID: number; readonly AttachmentTemplate?: string };
  const { AttachmentTemplateCollection: list } = (data ?? {}) as {
    AttachmentTemplateCollection?: { AttachmentTemplateItem?: TypeRow | readonly TypeRow[] };
  };
  return [list?.AttachmentTemplateItem ?? []].flat().map((row) => ({
    id: String(row.AttachmentTemplateID),
    name: row.AttachmentTemplate ?? `Type ${row.AttachmentTemplateID}`,
  }));
}
