import type { ItemAnswer, ListAnswer, Row } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import { errorNote } from '../error.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { page } from '../page.ts';
import { rowsOf } from '../table.ts';
import { recordLink, displayValue, localDateTime } from '../display-values.ts';
import { canUpload } from './upload-page.ts';
import {
  groupedCount,
  fileName,
  importPath,
  isActive,
  progressBar,
  statusMark,
  elapsedText,
} from './import-display.ts';

/** Files of one page. */
const PAGE_ROWS = 25;
/** Templates that the filter offers; a file of another one is found by its name. */
const TEMPLATES_MAX = 200;
/** The statuses that every installation has; templates can have words of their own for a complete file. */
const statuses: readonly string[] = [
  'New',
  'Queued',
  'Importing',
  'Stopped',
  'Complete',
  'Error',
  'Validation Error',
  'Canceled',
];
/** Filters by the name that they have in the address, each a column of the search. */
const filterNames = ['Status', 'ImportFileTemplateID', 'ImportFile', 'Reference', 'ImportFileID'] as const;

const idField = (to: string) => ({ kind: 'id', classification: 'public', doc: '', to }) as const;

/** The imports within the user's reach, the newest first; those that run show how far they are, and go on showing it. */
export const importsPage = page(async (call) => {
  const asked = parseFilters(call);
  const templates = await readImportTypes(call);
  const intro = html`<h1>Imports</h1>
<p class="actions">${canUpload(call) && html`<a class="button" href="/imports/new" accesskey="n">Send a file</a> `}<a class="button quiet" href="${listPath(asked, asked.start)}">Look again</a></p>
${filterForm(asked, templates)}`;
  const show = (status: number, results: Markup) => ({
    title: 'Imports',
    wide: true,
    status,
    scripts: ['/imports.js'],
    body: html`${intro}${results}<p class="hidden" role="status" id="told"></p>`,
  });
  try {
    const { answer } = await call.call('importfile/search', {
      ...searchParameters(asked),
      OrderBy: '-ImportFileID',
      RecordStart: String(asked.start),
      DisplaySize: String(PAGE_ROWS),
    });
    return show(200, await results(call, asked, answer as ListAnswer));
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status !== 400) throw error;
    return show(400, errorNote(error.masked()));
  }
});

/** What the address asks for. */
interface ImportFilters {
  readonly filters: Readonly<Partial<Record<(typeof filterNames)[number], string>>>;
  readonly failed: boolean;
  readonly start: number;
}

function parseFilters({ query }: PageCall): ImportFilters {
  const filters = Object.fromEntries(
    filterNames.flatMap((name) =>
      typeof query[name] === 'string' && query[name].trim() !== '' ? [[name, query[name].trim()]] : [],
    ),
  );
  return {
    filters,
    failed: query['Failed'] === 'true',
    start: Math.max(0, Math.trunc(Number(query['RecordStart'] ?? 0)) || 0),
  };
}

/** The filters as the search takes them. A plain word finds names that it stands in; files in which there was no event are not listed. */
function searchParameters({ filters, failed }: ImportFilters): Record<string, string> {
  const { ImportFile: name, ...rest } = filters;
  return {
    ...rest,
    ...(name === undefined ? {} : { ImportFile: /^[\w .()-]+$/.test(name) ? `*${name}*` : name }),
    SqlFilters: failed ? 'Listed,Failed' : 'Listed',
  };
}

function listPath({ filters, failed }: ImportFilters, start: number): string {
  const query = new URLSearchParams({
    ...filters,
    ...(failed ? { Failed: 'true' } : {}),
    ...(start > 0 ? { RecordStart: String(start) } : {}),
  }).toString();
  return query === '' ? '/imports' : `/imports?${query}`;
}

async function readImportTypes(call: PageCall): Promise<readonly Row[]> {
  if (!call.may('importfiletemplate/search')) return [];
  const { answer } = await call.call('importfiletemplate/search', {
    SqlColumns: 'ImportFileTemplateID,ImportFileTemplate,OnCompleteStatus',
    OrderBy: 'ImportFileTemplate',
    DisplaySize: String(TEMPLATES_MAX),
    RecordCount: 'false',
  });
  return (answer as ListAnswer).rows;
}

function filterForm({ filters, failed }: ImportFilters, templates: readonly Row[]): Markup {
  const own = templates.flatMap(({ OnCompleteStatus: status }) =>
    typeof status === 'string' && status !== '' ? [status] : [],
  );
  const known = [...new Set([...statuses, ...own, ...(filters.Status === undefined ? [] : [filters.Status])])];
  const option = (value: string, text: string, chosen: string | undefined): Markup =>
    html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`;
  return html`<form class="filters labelled" action="/imports" method="get" role="search" aria-label="Filter"><p>
<span><label for="by-name">Name</label><input id="by-name" name="ImportFile" value="${filters.ImportFile ?? ''}"></span>
<span><label for="by-status">Status</label><select id="by-status" name="Status">${option('', 'any', filters.Status)}${known.map((each) => option(each, each, filters.Status))}</select></span>
${templates.length > 0 && html`<span><label for="by-template">Template</label><select id="by-template" name="ImportFileTemplateID">${option('', 'any', filters.ImportFileTemplateID)}${templates.map((row) => option(String(row['ImportFileTemplateID']), String(row['ImportFileTemplate'] ?? ''), filters.ImportFileTemplateID))}</select></span>`}
<span><label for="by-reference">Reference</label><input id="by-reference" name="Reference" value="${filters.Reference ?? ''}"></span>
<span><label for="by-number">Number</label><input id="by-number" name="ImportFileID" inputmode="numeric" class="short" value="${filters.ImportFileID ?? ''}"></span>
<label class="choice"><input type="checkbox" name="Failed" value="true"${failed && html` checked`}> With failures only</label>
<span><button>Show</button> <a class="button quiet" href="/imports">Clear</a></span></p></form>`;
}

async function results(call: PageCall, asked: ImportFilters, list: ListAnswer): Promise<Markup> {
  const { rows, count: total, isEstimate } = rowsOf(list);
  if (rows.length === 0)
    return html`<p role="status">${Object.keys(asked.filters).length > 0 || asked.failed ? 'No import is like this.' : 'Nothing was imported yet.'}</p>`;
  const columns = ['ImportFileTemplate', ...(call.user.universal ? ['Organization'] : [])].map((to) => ({
    name: `${to}ID`,
    field: idField(to),
  }));
  const [labels, progress] = await Promise.all([
    loadLabels(call, [{ columns, rows: rows.map(withoutObject) }]),
    readProgress(call, rows),
  ]);
  return html`${table(call, rows, { labels, progress })}
<nav class="paging" aria-label="Pages"><span>${asked.start + 1} to ${asked.start + rows.length} of ${isEstimate && 'about '}${groupedCount(total)}</span>${asked.start > 0 && html` <a href="${listPath(asked, Math.max(0, asked.start - PAGE_ROWS))}" rel="prev">Newer</a>`}${asked.start + rows.length < total && html` <a href="${listPath(asked, asked.start + PAGE_ROWS)}" rel="next">Older</a>`}</nav>`;
}

/** The list does not show what a file is bound to, so its label need not be looked up. */
function withoutObject({ Object: _object, ...row }: Row): Row {
  return row;
}

/** How far those that run are, by their ids. A file that ends meanwhile or goes away shows what the search has said of it. */
async function readProgress(call: PageCall, rows: readonly Row[]): Promise<ReadonlyMap<number, Row>> {
  const running = call.may('importfile/progress') ? rows.filter(({ Status: status }) => status === 'Importing') : [];
  const found = await Promise.all(
    running.map(async ({ ImportFileID: id }) => {
      const outcome = await call.call('importfile/progress', { ID: String(id) }).catch(ignoreGone);
      return outcome ? [[Number(id), (outcome.answer as ItemAnswer).row] as const] : [];
    }),
  );
  return new Map(found.flat());
}

function ignoreGone(error: unknown): undefined {
  if (error instanceof PlatformError && error.status === 404) return undefined;
  throw error;
}

function table(
  call: PageCall,
  rows: readonly Row[],
  of: { readonly labels: Labels; readonly progress: ReadonlyMap<number, Row> },
): Markup {
  const heads: readonly (readonly [string, boolean])[] = [
    ['Name', false],
    ['Status', false],
    ['Template', false],
    ...(call.user.universal ? [['Sent by', false] as const] : []),
    ['Saved', true],
    ['Warnings', true],
    ['Failed', true],
    ['Started', false],
    ['Took', false],
  ];
  return html`<div class="scroll" role="region" tabindex="0" aria-label="Imports"><table class="imports"><caption class="hidden">Imports, the newest first</caption>
<thead><tr>${heads.map(([name, isNumber]) => html`<th scope="col"${isNumber && html` class="number"`}>${name}</th>`)}</tr></thead>
<tbody id="files" data-live>${rows.map((row) => fileRow(call, row, of))}</tbody></table></div>`;
}

function fileRow(
  call: PageCall,
  row: Row,
  { labels, progress }: { readonly labels: Labels; readonly progress: ReadonlyMap<number, Row> },
): Markup {
  const id = Number(row['ImportFileID']);
  const running = progress.get(id);
  // A run that goes on counts beside the file, which has the counts once it has ended.
  const counts = running ?? row;
  const link = (to: string): Markup => displayValue(call, idField(to), row[`${to}ID`], labels);
  return html`<tr><th scope="row"><a id="file-${id}" href="${importPath(id)}">${fileName(row)}</a></th><td>${statusMark(row)}${running && isActive(row) && html` ${progressBar(row, running)}`}</td><td>${link('ImportFileTemplate')}</td>${call.user.universal && html`<td>${typeof row['OrganizationID'] === 'number' ? recordLink(call, 'Organization', row['OrganizationID'], labels.get('Organization')?.get(row['OrganizationID'])) : html`<span class="quiet">staff</span>`}</td>`}<td class="number">${groupedCount(counts['SuccessCount'])}</td><td class="number">${outcomeCount(id, counts['Warnings'], 'warned', 'rows with a warning')}</td><td class="number">${outcomeCount(id, counts['ErrorCount'], 'failed', 'failed rows')}</td><td>${typeof row['ImportStart'] === 'string' ? html`<time datetime="${row['ImportStart']}">${localDateTime(call, row['ImportStart'])}</time>` : html`<span class="quiet">–</span>`}</td><td>${elapsedText(call, row) ?? html`<span class="quiet">–</span>`}</td></tr>\n`;
}

/** A count that leads to its rows. */
function outcomeCount(id: number, value: unknown, show: string, what: string): Markup {
  return Number(value ?? 0) === 0
    ? html`0`
    : html`<a id="${show}-${id}" href="${importPath(id)}?Show=${show}#rows">${groupedCount(value)}<span class="hidden"> ${what}</span></a>`;
}
