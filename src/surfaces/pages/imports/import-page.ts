import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import type { IconName } from '../design/icons.ts';
import { facts as definitions } from '../design/list.ts';
import { toast } from '../design/toast.ts';
import { displayValue, recordLink, recordPath } from '../display-values.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { errorNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, plainTexts } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { shortTimeMark } from '../due-words.ts';
import { batchSection } from './batch-failures.ts';
import {
  elapsedText,
  fileName,
  groupedCount,
  importPath,
  liveImport,
  progressBar,
  remainingText,
  typeTitle,
  type ImportProgress,
  type ImportRow,
} from './import-display.ts';
import { causesSection, correctAll } from './failure-causes.ts';
import { isLineBatch, lineBatchSentence, stateSentence, statusMark } from './import-words.ts';
import { comparedSection, refusedSection, sentAgainSection } from './sent-again.ts';
import { rowResultsSection } from './row-results.ts';
import { previewSection } from './source-preview.ts';

/** Shows an import: its progress, the results of its rows, and what can be done about them. */
export const importPage = page((call) => fileAnswer(call));

/** Stops, resumes or checks an import, or runs calls of a batch again. A refusal is shown on the page. */
export const controlImport = page(async (call) => {
  const id = recordIdFromPath(call);
  const action = plainText(call.form['Action']);
  try {
    if (action === 'correct') return { redirectTo: await correctAll(call, id) };
    await performAction(call, id, action);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return fileAnswer(call, error);
  }
  return { redirectTo: `${importPath(id)}?done=${action}` };
});

async function performAction(call: PageCall, id: number, action: string): Promise<void> {
  switch (action) {
    case 'stop':
    case 'resume':
    case 'validate':
      await call.call(`importfile/${action}`, { ID: id });
      return;
    case 'requeue': {
      const queue = plainText(call.form['Queue']).trim();
      const rows = plainTexts(call.form['Row']);
      await call.call('importfilequeue/requeue', {
        ...(rows.length > 0 ? { ID: [...rows] } : { ImportFileID: id }),
        ...(queue === '' ? {} : { Queue: queue }),
      });
      return;
    }
    default:
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Action',
        message: 'Action: expected stop, resume, validate, requeue or correct.',
      });
  }
}

const flashMessages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    sent: 'File uploaded',
    stop: 'Stopping after the current rows. Saved rows stay saved.',
    resume: 'Resuming with the first row that is not done',
    validate: 'File checked',
    requeue: 'Calls queued again',
    corrected: 'Corrected. The rows are imported.',
    queued: 'Corrected. A worker imports the rows now.',
    again: 'Sent again. It is being imported.',
  }),
);

async function fileAnswer(call: PageCall, refused?: PlatformError): Promise<PageAnswer> {
  const record = call.platform.registry.recordType('ImportFile');
  const id = recordIdFromPath(call);
  const { row } = (await call.call('importfile/select', { ID: id })).answer;
  const [progress, labels] = await Promise.all([
    progressOf(call, id),
    loadLabels(call, [{ columns: record.shown, rows: [row] }]),
  ]);
  const [compared, refusal, again, causes, results, batch, preview] = await Promise.all([
    comparedSection(call, row),
    refusedSection(call, row),
    sentAgainSection(call, row),
    causesSection(call, row),
    !isLineBatch(row) && rowResultsSection(call, row, progress ?? row),
    batchSection(call, row),
    previewSection(call, row),
  ]);
  const name = fileName(row);
  const done = flashMessages.get(plainText(call.query['done']));
  return {
    title: name,
    place: 'imports',
    crumbs: [{ text: 'Imports', href: '/imports' }, { text: name }],
    status: refused?.status ?? 200,
    toasts: done === undefined || refused ? [] : [toast({ text: done })],
    body: html`<div class="page wide">
<header class="stack">
<p class="row"><span id="state"${liveImport(id)}>${statusMark(row)}</span>
<span class="muted">${shortTimeMark(call, row.ImportComplete ?? row.ImportStart ?? row.CreatedDate)}</span>
<span class="muted">Import ${id}</span></p>
<div class="page-head"><h1>${name}</h1>${actions(call, row)}</div>
<p class="soft" id="sentence"${liveImport(id)}>${
      isLineBatch(row) ? lineBatchSentence(row) : stateSentence(row, progress)
    }</p>
</header>
${refused && errorNote(refused.masked())}
<div class="imports-grid">
<div>${compared}${refusal}${causes}${results}${batch}${preview}</div>
<div>
${
  !isLineBatch(row) &&
  card({
    id: 'run',
    title: 'Progress',
    attributes: liveImport(id),
    body: html`<div class="card-body stack">${progressDetails(call, row, progress)}</div>`,
  })
}
${again}
${card({
  id: 'about',
  title: 'Source',
  body: html`<div class="card-body stack">${sourceDetails(call, row, labels)}</div>`,
})}
</div>
</div>
</div>`,
  };
}

async function progressOf(call: PageCall, id: number): Promise<ImportProgress | undefined> {
  if (!call.may('importfile/progress')) return undefined;
  const { answer } = await call.call('importfile/progress', { ID: id });
  return answer.row;
}

/** Renders an import's progress in numbers, and why it failed as a whole. */
function progressDetails(call: PageCall, row: ImportRow, progress: ImportProgress | undefined): Markup {
  const counts = progress ?? row;
  const message = row.Message ?? '';
  const facts: readonly (readonly [string, HtmlValue])[] = [
    ...(progress ? speedFacts(row, progress) : []),
    ['Saved', groupedCount(counts.SuccessCount)],
    ['With warnings', groupedCount(counts.Warnings)],
    ['Failed', groupedCount(counts.ErrorCount)],
    ...timeFacts(call, row, progress),
  ];
  return html`${message !== '' && row.Status !== 'Stopped' && banner({ tone: 'danger', text: message })}
${row.Status === 'Importing' && progress && html`<p>${progressBar(row, progress)}</p>`}
${definitions(facts)}`;
}

function speedFacts(row: ImportRow, progress: ImportProgress): readonly (readonly [string, HtmlValue])[] {
  const { RowsDone: done, RowsTotal: total, PercentDone: percent, RowsPerSecond: speed } = progress;
  const hasEnded = row.ImportComplete !== null;
  // A document, such as a referral, has no rows.
  const hasRows = !hasEnded || (done ?? 0) > 0 || total !== null;
  return [
    ['Rows', hasRows ? `${groupedCount(done)}${total !== null ? ` of ${groupedCount(total)}` : ''}` : undefined],
    ['Done', !hasEnded && percent !== null ? `${Number(percent)} %` : undefined],
    ['Rows / sec', !hasEnded && speed !== null ? groupedCount(Math.round(Number(speed))) : undefined],
    ['Time left', remainingText(progress)],
  ];
}

function timeFacts(
  call: PageCall,
  row: ImportRow,
  progress: ImportProgress | undefined,
): readonly (readonly [string, HtmlValue])[] {
  const { ImportStart: start, ImportComplete: end, Status: status } = row;
  const active = progress?.ActiveDate ?? null;
  const time = (value: string | null): Markup | undefined => shortTimeMark(call, value) || undefined;
  return [
    ['Started', time(start)],
    ['Last active', status === 'Importing' ? time(active) : undefined],
    ['Ended', time(end)],
    ['Duration', elapsedText(call, row)],
  ];
}

/**
 * Renders what can be done about an import in its state. It is a separate element, so that no button is replaced
 * while it is pressed because a number changed. Stopping undoes nothing, and the import can be resumed where it
 * stopped.
 */
function actions(call: PageCall, row: ImportRow): Markup {
  const status = row.Status ?? 'New';
  const path = importPath(row.ImportFileID);
  const action = (value: string, text: string, name: IconName): Markup =>
    button({ text, name: 'Action', value, icon: name, attributes: html`id="do-${value}"` });
  const offered = [
    ['New', 'Queued', 'Importing'].includes(status) && call.may('importfile/stop') && action('stop', 'Stop', 'hold'),
    status === 'Stopped' && call.may('importfile/resume') && action('resume', 'Resume', 'play'),
    status === 'New' && call.may('importfile/validate') && action('validate', 'Check and import', 'check'),
  ];
  const refresh =
    row.ImportComplete === null &&
    buttonLink({ text: 'Refresh', href: path, kind: 'quiet', icon: 'refresh', attributes: html`id="again"` });
  return html`<form class="row" id="do"${liveImport(row.ImportFileID)} method="post" action="${path}">
${csrfField(call)}${refresh}${offered}
</form>`;
}

/** Renders the source file, its import type, what it belongs to and who sent it. */
function sourceDetails(call: PageCall, row: ImportRow, labels: Labels): Markup {
  const record = call.platform.registry.recordType('ImportFile');
  const { Object: object, ObjectID: objectId } = row;
  const field = (name: keyof ImportRow): Markup | undefined => {
    const column = record.columns.get(name.toLowerCase());
    return column && row[name] !== null && row[name] !== ''
      ? displayValue(call, column.field, row[name], labels)
      : undefined;
  };
  const parent =
    object !== null && objectId !== null && recordLink(call, object, objectId, labels.get(object)?.get(objectId));
  const typeId = row.ImportFileTemplateID;
  const typeName = typeId === null ? undefined : labels.get('ImportFileTemplate')?.get(typeId);
  const type = typeId !== null && recordLink(call, 'ImportFileTemplate', typeId, typeName && typeTitle(typeName));
  const details = definitions([
    ['Import type', type],
    ['Source file', sourceFile(call, row, field('PreTransformID'))],
    ['Belongs to', parent],
    ['Firm', field('OrganizationID')],
    ['Uploaded by', field('CreatedPersonID')],
    ['Reference', field('Reference')],
    ['External reference', field('ExternalReference')],
  ]);
  return html`${details}
${detailLinks(call, row.ImportFileID)}`;
}

/** Links to the source file. It contains SSNs in the clear, so downloading it takes the permission to see them. */
function sourceFile(call: PageCall, { PreTransformID: id }: ImportRow, link: Markup | undefined): Markup | undefined {
  if (id === null) return undefined;
  const mayDownload = call.may('attachment/download') && call.user.permissions.has('UnmaskSSN');
  return html`${link}${mayDownload && html` · <a class="link" href="/api/attachment/download/${id}">Download</a>`}`;
}

function detailLinks(call: PageCall, id: number): Markup {
  const results = `/api/importfile/results?ID=${id}&Output=Xml`;
  const link = (href: string, text: string): Markup => html`<a class="link" href="${href}">${text}</a>`;
  return html`<p class="row wrap small">
${call.may('importlog/search') && link(`/records/importlog?ImportFileID=${id}`, 'View all rows')}
${call.may('importfile/results') && link(results, 'Results as XML')}
${link(recordPath('importfile', id), 'View details')}
</p>`;
}
