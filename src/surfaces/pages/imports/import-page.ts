import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { factList } from '../components.ts';
import { displayValue, recordLink, recordPath, timeMark } from '../display-values.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { errorNote, flashNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, plainTexts } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { batchSection } from './batch-failures.ts';
import {
  elapsedText,
  fileName,
  groupedCount,
  importPath,
  liveImport,
  progressBar,
  remainingText,
  statusMark,
  type ImportProgress,
  type ImportRow,
} from './import-display.ts';
import { rowResultsSection } from './row-results.ts';
import { previewSection } from './source-preview.ts';

/** Shows an import: its progress, the results of its rows, and what can be done about them. */
export const importPage = page((call) => fileAnswer(call));

/** Stops, resumes or checks an import, or runs calls of a batch again. A refusal is shown on the page. */
export const controlImport = page(async (call) => {
  const id = recordIdFromPath(call);
  const action = plainText(call.form['Action']);
  try {
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
        message: 'Action: expected stop, resume, validate or requeue.',
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
  const [results, batch, preview] = await Promise.all([
    rowResultsSection(call, row, progress ?? row),
    batchSection(call, row),
    previewSection(call, row),
  ]);
  const name = fileName(row);
  return {
    title: name,
    wide: true,
    status: refused?.status ?? 200,
    body: html`<p class="crumbs"><a href="/imports">Imports</a> · ID ${id}</p>
<h1>${name} <span id="state"${liveImport(id)}>${statusMark(row)}</span></h1>
${refused ? errorNote(refused.masked()) : flashNote(flashMessages, call.query['done'])}
<section id="run"${liveImport(id)} aria-labelledby="run-head">
<h2 id="run-head" class="hidden">Progress</h2>
${progressDetails(call, row, progress)}
</section>
${actions(call, row)}
<section aria-labelledby="about">
<h2 id="about">Source</h2>
${sourceDetails(call, row, labels)}
</section>
${results}
${batch}
${preview}`,
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
  return html`${message !== '' && html`<div class="note refused"><p>${message}</p></div>`}
${row.Status === 'Importing' && progress && html`<p class="running">${progressBar(row, progress)}</p>`}
${factList(facts, 'fields numbers')}`;
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
  const time = (value: string | null): Markup | undefined => (value !== null ? timeMark(call, value) : undefined);
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
  const button = (action: string, label: string, title: string): Markup =>
    html`<button id="do-${action}" name="Action" value="${action}" title="${title}">${label}</button> `;
  const offered = [
    ['New', 'Queued', 'Importing'].includes(status) &&
      call.may('importfile/stop') &&
      button('stop', 'Stop', 'Stops after the current rows. Saved rows stay saved, and you can resume.'),
    status === 'Stopped' &&
      call.may('importfile/resume') &&
      button('resume', 'Resume', 'Resumes with the first row that is not done.'),
    status === 'New' &&
      call.may('importfile/validate') &&
      button('validate', 'Check and import', 'Checks the whole file, then queues its import.'),
  ];
  const refresh = row.ImportComplete === null && html`<a class="button quiet" id="again" href="${path}">Refresh</a>`;
  return html`<form class="actions" id="do"${liveImport(row.ImportFileID)} method="post" action="${path}">
${csrfField(call)}${offered}${refresh}
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
  const facts = factList([
    ['Import type', field('ImportFileTemplateID')],
    ['Source file', sourceFile(call, row, field('PreTransformID'))],
    ['Belongs to', parent],
    ['Firm', field('OrganizationID')],
    ['Uploaded by', field('CreatedPersonID')],
    ['Reference', field('Reference')],
    ['External reference', field('ExternalReference')],
  ]);
  return html`${facts}
${detailLinks(call, row.ImportFileID)}`;
}

/** Links to the source file. It contains SSNs in the clear, so downloading it takes the permission to see them. */
function sourceFile(call: PageCall, { PreTransformID: id }: ImportRow, link: Markup | undefined): Markup | undefined {
  if (id === null) return undefined;
  const mayDownload = call.may('attachment/download') && call.user.permissions.has('UnmaskSSN');
  return html`${link}${mayDownload && html` · <a href="/api/attachment/download/${id}">Download</a>`}`;
}

function detailLinks(call: PageCall, id: number): Markup {
  const results = `/api/importfile/results?ID=${id}&Output=Xml`;
  return html`<ul class="inline">
${call.may('importlog/search') && html`<li><a href="/records/importlog?ImportFileID=${id}">View all rows</a></li>`}
${call.may('importfile/results') && html`<li><a href="${results}">Results as XML</a></li>`}
<li><a href="${recordPath('importfile', id)}">View details</a></li>
</ul>`;
}
