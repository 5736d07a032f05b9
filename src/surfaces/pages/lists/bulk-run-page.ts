import type { AnswerRowFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { progress } from '../design/progress.ts';
import { table } from '../design/table.ts';
import { tabs } from '../design/tabs.ts';
import { groupDigits } from '../display-values.ts';
import { hiddenField } from '../components.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { mailLink } from '../mailings/mail-link.ts';
import { combinedDownloads, generatedDocuments, type CombinedDownload } from './combined-downloads.ts';
import { sourceOf, type ListSource } from './list-sources.ts';

/** Results on one page. */
const RESULTS_SHOWN = 100;
/** Seconds after which a page of a run that is not over is read again. */
const REFRESH_SECONDS = 2;

/** Shows a bulk change: its progress, the result for each record, and what can be done about it. */
export const bulkRunPage = page((call) => runPage(call));

/** Stops, resumes, repeats or undoes a bulk change. */
export const controlBulkRun = page(async (call) => {
  const id = recordIdFromPath(call);
  const { answer } = await call.call('bulkrun/select', { ID: id });
  const ImportFileID = answer.row.ImportFileID ?? 0;
  try {
    switch (plainText(call.form['Action'])) {
      case 'stop':
        await call.call('importfile/stop', { ID: ImportFileID });
        break;
      case 'resume':
        await call.call('importfilequeue/resume', { ImportFileID });
        break;
      case 'retry':
        await call.call('importfilequeue/requeue', { ImportFileID });
        break;
      case 'undo': {
        const undone = await call.call('bulkrun/undo', { ID: id });
        return { redirectTo: runPath(undone.answer.row.BulkRunID, fromOf(call)) };
      }
      default:
        throw new PlatformError('BAD_PARAMETER', { field: 'Action' });
    }
    return { redirectTo: runPath(id, fromOf(call)) };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return runPage(call, error.masked());
  }
});

function runPath(id: number, from: string): string {
  return `/bulk/${id}${from === '' ? '' : `?From=${encodeURIComponent(from)}`}`;
}

function fromOf(call: PageCall): string {
  const from = plainText(call.form['From'] ?? call.query['From']);
  return /^\/[a-z]/.test(from) ? from : '';
}

type Run = RowNamed<'BulkRun'>;
type Result = RowNamed<'ImportFileQueue'>;
type Progress = AnswerRowFor<'importfile/progress'>;

/** A bulk change with its results, as far as they are shown. */
interface RunData {
  readonly run: Run;
  readonly progress: Progress;
  readonly status: string;
  readonly results: readonly Result[];
  readonly undoneBy: Run | undefined;
  readonly source: ListSource | undefined;
  readonly downloads: readonly CombinedDownload[];
  /** The documents that it generated, if all are known. */
  readonly documentIds: readonly number[];
}

async function readRun(call: PageCall, id: number, isFailed: boolean): Promise<RunData> {
  const run = (await call.call('bulkrun/select', { ID: id })).answer.row;
  const file = String(run.ImportFileID);
  const [{ answer: counted }, { answer: batch }, { answer: results }, { answer: undoing }] = await Promise.all([
    call.call('importfile/progress', { ID: file }),
    call.call('importfile/select', { ID: file }),
    call.call('importfilequeue/search', {
      ImportFileID: file,
      DisplaySize: RESULTS_SHOWN,
      OrderBy: ['ImportFileQueueID'],
      ...(isFailed && { Status: 'Error' }),
    }),
    call.call('bulkrun/search', { UndoneRunID: String(id), RecordCount: 'false' }),
  ]);
  const record = call.platform.registry.record(run.RecordType ?? '');
  const isWhole = !isFailed && (counted.row.RowsTotal ?? 0) <= RESULTS_SHOWN && !isUnfinished(batch.row.Status ?? '');
  return {
    downloads: isWhole ? await combinedDownloads(call, run, results.rows) : [],
    documentIds: isWhole ? generatedDocuments(run, results.rows) : [],
    run,
    progress: counted.row,
    status: batch.row.Status ?? '',
    results: results.rows,
    undoneBy: undoing.rows[0],
    source: record && sourceOf(call, record),
  };
}

async function runPage(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const isFailed = plainText(call.query['Show']) === 'failed';
  const data = await readRun(call, recordIdFromPath(call), isFailed);
  const { run, source, undoneBy } = data;
  const from = fromOf(call);
  const title = run.BulkRun ?? 'Bulk change';
  const refresh = isUnfinished(data.status) && html` data-refresh-seconds="${REFRESH_SECONDS}"`;
  const list = source ? [{ text: source.title, href: from === '' ? source.path : from }] : [];
  return {
    title,
    place: source?.place ?? 'records',
    crumbs: [...list, { text: title }],
    ...(error && { status: error.status }),
    entries: ['list'],
    body: html`<div class="page bulk-run" id="bulk-run"${refresh}>
<div class="page-head"><h1><bdi>${title}</bdi></h1><div class="row">${controls(call, data, from)}</div></div>
${error && banner({ tone: 'danger', text: error.message, role: 'alert' })}
${state(data.progress, data.status)}
${undoneBy && html`<p><a class="link" href="${runPath(undoneBy.BulkRunID, from)}">${undoneBy.BulkRun}</a></p>`}
${documentLinks(call, data)}
${resultTabs(run, data.progress, isFailed)}
${resultTable(data, source)}
${from !== '' && html`<p><a class="button" href="${from}">Back to the list</a></p>`}
</div>`,
  };
}

const statusWords: ReadonlyMap<string, string> = new Map([
  ['Importing', 'Running'],
  ['Queued', 'Waiting'],
  ['Stopped', 'Stopped'],
]);

function isUnfinished(status: string): boolean {
  return status === 'Importing' || status === 'Queued';
}

function state({ RowsTotal, SuccessCount, ErrorCount }: Progress, status: string): Markup {
  const [total, done, refused] = [RowsTotal ?? 0, SuccessCount ?? 0, ErrorCount ?? 0];
  const failed = refused > 0 ? ` · ${groupDigits(String(refused))} refused` : '';
  const text = `${groupDigits(String(done))} of ${groupDigits(String(total))} done${failed}`;
  const name = statusWords.get(status) ?? 'Finished';
  const tone = status === 'Stopped' ? 'warn' : 'ok';
  return html`<div class="row wrap" role="status">${badge(name, isUnfinished(status) ? 'accent' : tone)}
${progress(done + refused, total, text, refused > 0 ? 'danger' : 'accent')}</div>`;
}

/** Whether the user can undo a bulk change: it is over, theirs, and has changed something. */
function canUndo(call: PageCall, { run, status, progress, undoneBy }: RunData): boolean {
  const isOwn = run.CreatedPersonID === call.user.personId;
  const isOver = !isUnfinished(status) && (progress.SuccessCount ?? 0) > 0;
  return isOwn && isOver && run.UndoSignature !== null && !undoneBy;
}

function controls(call: PageCall, data: RunData, from: string): Markup {
  const { run, status } = data;
  const isRunning = isUnfinished(status);
  const refused = data.progress.ErrorCount ?? 0;
  const mayRetry = !isRunning && refused > 0 && call.may('importfilequeue/requeue');
  const one = (action: string, text: string, key?: string): Markup =>
    button({ text, name: 'Action', value: action, ...(key !== undefined && { key }) });
  return html`<form class="row" method="post" action="/bulk/runs/${run.BulkRunID}">${csrfField(call)}${
    from !== '' && hiddenField('From', from)
  }
${isRunning && call.may('importfile/stop') && one('stop', 'Stop')}
${status === 'Stopped' && call.may('importfilequeue/resume') && one('resume', 'Resume')}
${mayRetry && one('retry', `Try ${refused} again`)}
${canUndo(call, data) && one('undo', 'Undo', 'z')}</form>`;
}

/** Links to all documents that were generated, as one file, and to a mailing of them. */
function documentLinks(call: PageCall, { documentIds, downloads }: RunData): Markup | false {
  if (documentIds.length === 0) return false;
  const combined = call.may('attachment/combine')
    ? [
        ['Pdf', 'Download as one PDF'],
        ['Zip', 'Download as zip'],
      ]
    : [];
  const address = `/api/attachment/combine?ID=${documentIds.join(',')}`;
  return html`<div class="row wrap">${combined.map(
    ([as, text]) => html`<a class="button" href="${address}&As=${as}" download>${text}</a>\n`,
  )}${downloads.map(
    ({ href, text }) => html`<a class="button" href="${href}" download>Download all as ${text}</a>\n`,
  )}${mailLink(call, documentIds, 'Mail these documents')}</div>`;
}

function resultTabs({ BulkRunID }: Run, { RowsTotal, ErrorCount }: Progress, isFailed: boolean): Markup {
  return tabs('Results', [
    { href: `/bulk/${BulkRunID}`, text: 'All', count: groupDigits(String(RowsTotal ?? 0)), isCurrent: !isFailed },
    {
      href: `/bulk/${BulkRunID}?Show=failed`,
      text: 'Refused',
      count: groupDigits(String(ErrorCount ?? 0)),
      isCurrent: isFailed,
    },
  ]);
}

function resultTable({ run, results }: RunData, source: ListSource | undefined): Markup {
  const documentOf = (row: Result): Markup | false => {
    const [id] = generatedDocuments(run, [row]);
    return id !== undefined && html` <a class="link" href="/documents/${id}">Open the document</a>`;
  };
  const link = ({ ImportFileQueue: label }: Result): Markup => {
    if (!source || label === null) return html`<bdi>${label}</bdi>`;
    const query = new URLSearchParams({ [source.record.name]: `"${label}"` }).toString();
    return html`<a href="${source.path}?${query}"><bdi>${label}</bdi></a>`;
  };
  const words: ReadonlyMap<string, Markup> = new Map([
    ['Complete', badge('Done', 'ok', 'check')],
    ['Error', badge('Refused', 'danger', 'error')],
  ]);
  return table({
    label: 'Results',
    className: 'wrap',
    heads: ['Record', 'Result', 'Why'],
    rows: results.map(
      (row) =>
        html`<tr><th scope="row">${link(row)}</th><td>${
          words.get(row.Status ?? '') ?? badge('Waiting')
        }${documentOf(row)}</td><td>${row.Message}</td></tr>\n`,
    ),
  });
}
