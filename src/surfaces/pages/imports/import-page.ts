import type { ItemAnswer, Row } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { recordIdFromPath, selectRow } from '../record-address.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { errorNote } from '../error.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { page } from '../page.ts';
import { recordLink, recordPath, displayValue, localDateTime } from '../display-values.ts';
import { batchSection } from './batch-failures.ts';
import { previewSection } from './source-preview.ts';
import { rowResultsSection } from './row-results.ts';
import {
  groupedCount,
  fileName,
  importPath,
  progressBar,
  remainingText,
  statusMark,
  elapsedText,
} from './import-display.ts';

/** The page of one import: how far it is, what became of its rows, and what can be done about them. */
export const importPage = page((call) => fileAnswer(call));

/** Stops an import, goes on with it, lets one begin, or runs rows of a batch again; what refuses is told on the page. */
export const controlImport = page(async (call) => {
  const id = recordIdFromPath(call);
  const action = String(call.form['Action'] ?? '');
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
      await call.call(`importfile/${action}`, { ID: String(id) });
      return;
    case 'requeue': {
      const queue = String(call.form['Queue'] ?? '').trim();
      const rows = [call.form['Row'] ?? []].flat().map(String);
      await call.call('importfilequeue/requeue', {
        ...(rows.length > 0 ? { ID: rows } : { ImportFileID: String(id) }),
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

async function fileAnswer(call: PageCall, refused?: PlatformError): Promise<PageAnswer> {
  const record = call.platform.registry.requireRecord('ImportFile', 'ID');
  const id = recordIdFromPath(call);
  const row = await selectRow(call, record, id);
  const [progress, labels] = await Promise.all([
    progressOf(call, id),
    loadLabels(call, [{ columns: record.shown, rows: [row] }]),
  ]);
  const [outcomes, batch, preview] = await Promise.all([
    rowResultsSection(call, row, progress ?? row),
    batchSection(call, row),
    previewSection(call, row),
  ]);
  return {
    title: fileName(row),
    wide: true,
    status: refused?.status ?? 200,
    scripts: ['/imports.js'],
    body: html`<p class="crumbs"><a href="/imports">Imports</a> · number ${id}</p>
<h1>${fileName(row)} <span id="state" data-live>${statusMark(row)}</span></h1>
${refused ? errorNote(refused.masked()) : flashNote(call)}
<section id="run" data-live aria-labelledby="run-head"><h2 id="run-head" class="hidden">How it goes</h2>${progressDetails(call, row, progress)}</section>
${actions(call, row)}
<section aria-labelledby="about"><h2 id="about">What was sent</h2>${sourceDetails(call, row, labels)}</section>
${outcomes}
${batch}
${preview}
<p class="hidden" role="status" id="told"></p>`,
  };
}

async function progressOf(call: PageCall, id: number): Promise<Row | undefined> {
  if (!call.may('importfile/progress')) return undefined;
  const { answer } = await call.call('importfile/progress', { ID: String(id) });
  return (answer as ItemAnswer).row;
}

const flashMessages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    sent: 'The file has arrived.',
    stop: 'It was told to stop with the rows that it is at; what was saved stays.',
    resume: 'It was told to go on with the first row that is not done.',
    validate: 'It was checked.',
    requeue: 'The rows are queued again.',
  }),
);

/** What led here has done. */
function flashNote({ query }: PageCall): Markup | false {
  const text = flashMessages.get(String(query['done'] ?? ''));
  return text !== undefined && html`<div class="note" role="status"><p>${text}</p></div>`;
}

/** How far it is, in numbers. */
function progressDetails(call: PageCall, row: Row, progress: Row | undefined): Markup {
  const counts = progress ?? row;
  const { ImportStart: start, ImportComplete: end } = row;
  const lines: readonly (readonly [string, Markup | string | undefined])[] = [
    [
      'Rows',
      progress &&
        `${groupedCount(progress['RowsDone'])}${known(progress['RowsTotal']) ? ` of ${groupedCount(progress['RowsTotal'])}` : ''}`,
    ],
    [
      'Done',
      progress && typeof end !== 'string' && known(progress['PercentDone'])
        ? `${String(Number(progress['PercentDone']))} %`
        : undefined,
    ],
    [
      'Rows a second',
      progress && typeof end !== 'string' && known(progress['RowsPerSecond'])
        ? groupedCount(Math.round(Number(progress['RowsPerSecond'])))
        : undefined,
    ],
    ['Remaining', progress && remainingText(progress)],
    ['Saved', groupedCount(counts['SuccessCount'])],
    ['With a warning', groupedCount(counts['Warnings'])],
    ['Failed', groupedCount(counts['ErrorCount'])],
    ['Started', typeof start === 'string' ? instant(call, start) : undefined],
    [
      'Last active',
      row['Status'] === 'Importing' && typeof progress?.['ActiveDate'] === 'string'
        ? instant(call, progress['ActiveDate'])
        : undefined,
    ],
    ['Ended', typeof end === 'string' ? instant(call, end) : undefined],
    ['Took', elapsedText(call, row)],
  ];
  const message = row['Message'];
  return html`${typeof message === 'string' && message !== '' && html`<div class="note refused"><p>${message}</p></div>`}
${row['Status'] === 'Importing' && progress && html`<p class="running">${progressBar(row, progress)}</p>`}
<dl class="fields numbers">${lines.map(([name, value]) => value !== undefined && html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>`;
}

function known(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function instant(call: PageCall, at: string): Markup {
  return html`<time datetime="${at}">${localDateTime(call, at)}</time>`;
}

/**
 * What can be done about an import in its state, for who may do it; a part of its own, so that no button is replaced while it is
 * pressed because a number has changed. Stopping undoes nothing: it goes on where it stopped.
 */
function actions(call: PageCall, row: Row): Markup {
  const status = String(row['Status'] ?? 'New');
  const button = (action: string, label: string, title: string): Markup =>
    html`<button id="do-${action}" name="Action" value="${action}" title="${title}">${label}</button> `;
  const offered = [
    ['New', 'Queued', 'Importing'].includes(status) &&
      call.may('importfile/stop') &&
      button('stop', 'Stop', 'Ends with the rows that it is at; what was saved stays, and it can go on.'),
    status === 'Stopped' &&
      call.may('importfile/resume') &&
      button('resume', 'Go on', 'Goes on with the first row that is not done.'),
    status === 'New' &&
      call.may('importfile/validate') &&
      button('validate', 'Check and import', 'Checks the document as a whole, and queues its import.'),
  ];
  return html`<form class="actions" id="do" data-live method="post" action="${importPath(Number(row['ImportFileID']))}">${csrfField(call)}${offered}${row['ImportComplete'] === null && html`<a class="button quiet" id="again" href="${importPath(Number(row['ImportFileID']))}">Look again</a>`}</form>`;
}

/** What was sent, what it became part of, and by which template. */
function sourceDetails(call: PageCall, row: Row, labels: Labels): Markup {
  const id = Number(row['ImportFileID']);
  // What was sent is kept sealed, and shows numbers of people in the clear.
  const mayDownload = call.may('attachment/download') && call.user.permissions.has('UnmaskSSN');
  const { registry } = call.platform;
  const record = registry.requireRecord('ImportFile', 'ID');
  const field = (name: string): Markup | undefined => {
    const column = record.columns.get(name.toLowerCase());
    return column && known(row[name]) && row[name] !== ''
      ? displayValue(call, column.field, row[name], labels)
      : undefined;
  };
  const { PreTransformID: source, Object: object, ObjectID: objectId } = row;
  const lines: readonly (readonly [string, Markup | undefined])[] = [
    ['Template', field('ImportFileTemplateID')],
    [
      'Source document',
      typeof source === 'number'
        ? html`${field('PreTransformID')}${mayDownload && html` · <a href="/api/attachment/download/${source}">Save to disk</a>`}`
        : undefined,
    ],
    [
      'Belongs to',
      typeof object === 'string' && typeof objectId === 'number'
        ? recordLink(call, object, objectId, labels.get(object)?.get(objectId))
        : undefined,
    ],
    ['Sent by', field('OrganizationID')],
    ['Person', field('CreatedPersonID')],
    ['Reference', field('Reference')],
    ['Reference outside', field('ExternalReference')],
  ];
  return html`<dl class="fields">${lines.map(([name, value]) => value && html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
<ul class="inline">${call.may('importlog/search') && html`<li><a href="/records/importlog?ImportFileID=${id}">The whole log</a></li>`}${call.may('importfile/results') && html`<li><a href="/api/importfile/results?ID=${id}&amp;Output=Xml">Results as XML</a></li>`}<li><a href="${recordPath('importfile', id)}">All fields</a></li></ul>`;
}
