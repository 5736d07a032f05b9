import type { AnswerFor, RecordName, RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { dataTable, option } from '../components.ts';
import { noValue, recordLink, timeMark } from '../display-values.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { errorNote } from '../notes.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { rowOffset } from '../plain-text.ts';
import { rowsOf } from '../table.ts';
import {
  elapsedText,
  fileName,
  groupedCount,
  importPath,
  isActive,
  progressBar,
  statusMark,
  type ImportProgress,
  type ImportRow,
} from './import-display.ts';
import { canUpload } from './upload-page.ts';

/** The columns of an import type that the filters need. */
type ImportType = Pick<
  RowNamed<'ImportFileTemplate'>,
  'ImportFileTemplateID' | 'ImportFileTemplate' | 'OnCompleteStatus'
>;

/** Imports of one page. */
const PAGE_ROWS = 25;
/** Import types that the filter offers; imports of another type are found by their name. */
const TYPES_MAX = 200;
/** The statuses of every installation. Import types can have others for a complete import. */
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
/** The filters, by their names in the address; each is a column of the search. */
const filterNames = [
  'Status',
  'ImportFileTemplateID',
  'ImportFile',
  'Reference',
  'ImportFileID',
] as const satisfies readonly (keyof ImportRow)[];

/**
 * Lists the imports that the user can see, newest first. Running ones show their progress, which the page keeps up to
 * date.
 */
export const importsPage = page(async (call) => {
  const filters = parseFilters(call);
  const types = await readImportTypes(call);
  const upload = canUpload(call) && html`<a class="button" href="/imports/new" accesskey="n">Upload file</a>`;
  const intro = html`<h1>Imports</h1>
<p class="actions">
${upload}
<a class="button quiet" href="${listPath(filters, filters.start)}">Refresh</a>
</p>
${filterForm(filters, types)}`;
  const show = (status: number, content: Markup) => ({
    title: 'Imports',
    wide: true,
    status,
    body: html`${intro}${content}`,
  });
  try {
    const { answer } = await call.call('importfile/search', {
      ...searchParameters(filters),
      OrderBy: '-ImportFileID',
      RecordStart: filters.start,
      DisplaySize: PAGE_ROWS,
    });
    return show(200, await results(call, filters, answer));
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status !== 400) throw error;
    return show(400, errorNote(error.masked()));
  }
});

/** The query of the page's address. `failed`: only imports with failed rows. `start`: imports to skip. */
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
  return { filters, failed: query['Failed'] === 'true', start: rowOffset(query['RecordStart']) };
}

/**
 * Returns the filters as the search takes them. A plain word finds names that contain it; imports without an event are
 * left out.
 */
function searchParameters({
  filters,
  failed,
}: ImportFilters): ImportFilters['filters'] & { readonly SqlFilters: string } {
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

async function readImportTypes(call: PageCall): Promise<readonly ImportType[]> {
  if (!call.may('importfiletemplate/search')) return [];
  const { answer } = await call.call('importfiletemplate/search', {
    SqlColumns: 'ImportFileTemplateID,ImportFileTemplate,OnCompleteStatus',
    OrderBy: 'ImportFileTemplate',
    DisplaySize: TYPES_MAX,
    RecordCount: 'false',
  });
  return answer.rows;
}

function filterForm({ filters, failed }: ImportFilters, types: readonly ImportType[]): Markup {
  const field = (id: string, label: string, control: Markup): Markup =>
    html`<span><label for="${id}">${label}</label>${control}</span>\n`;
  const text = (id: string, name: (typeof filterNames)[number]): Markup =>
    html`<input id="${id}" name="${name}" value="${filters[name] ?? ''}">`;
  const id = html`<input id="by-number" name="ImportFileID" inputmode="numeric" class="short" value="${
    filters.ImportFileID ?? ''
  }">`;
  const failedBox = html`<input type="checkbox" name="Failed" value="true"${failed && html` checked`}>`;
  return html`<form class="filters labelled" action="/imports" method="get" role="search" aria-label="Filter"><p>
${field('by-name', 'Name', text('by-name', 'ImportFile'))}
${field('by-status', 'Status', statusFilter(filters.Status, types))}
${types.length > 0 && field('by-template', 'Import type', typeFilter(filters.ImportFileTemplateID, types))}
${field('by-reference', 'Reference', text('by-reference', 'Reference'))}
${field('by-number', 'Import ID', id)}
<label class="choice">${failedBox} Failed rows only</label>
<span><button>Filter</button> <a class="button quiet" href="/imports">Clear</a></span>
</p></form>`;
}

function statusFilter(chosen: string | undefined, types: readonly ImportType[]): Markup {
  const own = types.map((row) => row.OnCompleteStatus ?? '').filter((status) => status !== '');
  const known = [...new Set([...statuses, ...own, ...(chosen === undefined ? [] : [chosen])])];
  return html`<select id="by-status" name="Status">
${option('', 'Any', chosen === '')}
${known.map((status) => option(status, status, status === chosen))}
</select>`;
}

function typeFilter(chosen: string | undefined, types: readonly ImportType[]): Markup {
  const choice = ({ ImportFileTemplateID: typeId, ImportFileTemplate: name }: ImportType): Markup => {
    const id = String(typeId);
    return option(id, name ?? '', id === chosen);
  };
  return html`<select id="by-template" name="ImportFileTemplateID">
${option('', 'Any', chosen === '')}
${types.map(choice)}
</select>`;
}

async function results(call: PageCall, query: ImportFilters, list: AnswerFor<'importfile/search'>): Promise<Markup> {
  const { rows, count: total, isEstimate } = rowsOf(list);
  const { start } = query;
  if (rows.length === 0) {
    const isFiltered = Object.keys(query.filters).length > 0 || query.failed;
    return html`<p role="status">${isFiltered ? 'No imports match these filters.' : 'No imports yet'}</p>`;
  }
  // The list does not show an import's parent, so its label is not looked up.
  const listed = rows.map(({ Object: _object, ...row }) => row);
  const [labels, progress] = await Promise.all([
    loadLabels(call, [
      referencesOf(listed, ['ImportFileTemplateID', 'ImportFileTemplate']),
      referencesOf(call.user.universal ? listed : [], ['OrganizationID', 'Organization']),
    ]),
    readProgress(call, rows),
  ]);
  const newer = start > 0 && html`<a href="${listPath(query, Math.max(0, start - PAGE_ROWS))}" rel="prev">Newer</a>`;
  const older =
    start + rows.length < total && html`<a href="${listPath(query, start + PAGE_ROWS)}" rel="next">Older</a>`;
  return html`${importTable(call, rows, { labels, progress })}
<nav class="paging" aria-label="Pages">
<span>${start + 1} to ${start + rows.length} of ${isEstimate && 'about '}${groupedCount(total)}</span>
${newer}
${older}
</nav>`;
}

/**
 * Reads the progress of running imports, by their ids. One that ends or is deleted meanwhile is shown as the search
 * found it.
 */
async function readProgress(call: PageCall, rows: readonly ImportRow[]): Promise<ReadonlyMap<number, ImportProgress>> {
  const running = call.may('importfile/progress') ? rows.filter(({ Status: status }) => status === 'Importing') : [];
  const entries = await Promise.all(
    running.map(async ({ ImportFileID: id }) => {
      const outcome = await call.call('importfile/progress', { ID: id }).catch(undefinedIfGone);
      return outcome ? [[id, outcome.answer.row] as const] : [];
    }),
  );
  return new Map(entries.flat());
}

function undefinedIfGone(error: unknown): undefined {
  if (error instanceof PlatformError && error.status === 404) return undefined;
  throw error;
}

/** What the rows of the table need besides their imports. `progress`: of the running ones, by their ids. */
interface ImportDetails {
  readonly labels: Labels;
  readonly progress: ReadonlyMap<number, ImportProgress>;
}

function importTable(call: PageCall, rows: readonly ImportRow[], details: ImportDetails): Markup {
  return dataTable({
    label: 'Imports',
    caption: 'Imports, newest first',
    className: 'imports',
    body: html`id="files" data-live="importfile" data-live-mode="quiet"`,
    heads: [
      'Name',
      'Status',
      'Import type',
      call.user.universal && 'Firm',
      ...['Saved', 'Warnings', 'Failed'].map((text) => ({ text, isNumber: true })),
      'Started',
      'Duration',
    ],
    rows: rows.map((row) => importRow(call, row, details)),
  });
}

function importRow(call: PageCall, row: ImportRow, { labels, progress }: ImportDetails): Markup {
  const id = row.ImportFileID;
  const running = progress.get(id);
  // A running import has its counts in its progress; the row gets them when it ends.
  const counts = running ?? row;
  const { ImportStart: start } = row;
  const bar = running && isActive(row) && html` ${progressBar(row, running)}`;
  return html`<tr>
<th scope="row"><a id="file-${id}" href="${importPath(id)}">${fileName(row)}</a></th>
<td>${statusMark(row)}${bar}</td>
<td>${reference(call, 'ImportFileTemplate', row.ImportFileTemplateID, labels) ?? noValue}</td>
${call.user.universal && html`<td>${reference(call, 'Organization', row.OrganizationID, labels) ?? staffMark}</td>`}
<td class="number">${groupedCount(counts.SuccessCount)}</td>
<td class="number">${resultCount(id, counts.Warnings, 'warned', 'rows with warnings')}</td>
<td class="number">${resultCount(id, counts.ErrorCount, 'failed', 'failed rows')}</td>
<td>${start !== null ? timeMark(call, start) : noValue}</td>
<td>${elapsedText(call, row) ?? noValue}</td>
</tr>\n`;
}

const staffMark = html`<span class="quiet">Staff</span>`;

/** Links to a record to which an import refers; undefined where it refers to none. */
function reference(call: PageCall, type: RecordName, id: number | null, labels: Labels): Markup | undefined {
  return id !== null ? recordLink(call, type, id, labels.get(type)?.get(id)) : undefined;
}

/** Renders a count as a link to its rows. */
function resultCount(id: number, value: number | null, filter: string, what: string): Markup {
  if ((value ?? 0) === 0) return html`0`;
  const text = html`${groupedCount(value)}<span class="hidden"> ${what}</span>`;
  return html`<a id="${filter}-${id}" href="${importPath(id)}?Show=${filter}#rows">${text}</a>`;
}
