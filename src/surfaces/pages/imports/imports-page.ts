import type { AnswerFor, RecordName } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { noValue, recordLink } from '../display-values.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { errorNote } from '../notes.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { shortTimeMark } from '../due-words.ts';
import { rowsOf } from '../table.ts';
import {
  fileName,
  groupedCount,
  importPath,
  isActive,
  progressBar,
  typeTitle,
  type ImportProgress,
  type ImportRow,
} from './import-display.ts';
import {
  filterForm,
  isFiltered,
  listPath,
  PAGE_ROWS,
  parseFilters,
  readFilterTypes,
  searchParameters,
  type ImportFilters,
} from './import-filters.ts';
import { statusMark } from './import-words.ts';
import { needsYou } from './needs-you.ts';
import { sourcesCard } from './sources.ts';
import { hasSftpPage } from './sftp-page.ts';
import { canUpload, readImportTypes, uploadForm } from './upload-page.ts';

/**
 * Shows the imports that the user can see: what needs somebody, the sources, and all runs, newest first. Running ones
 * show their progress, which the page's script keeps up to date.
 */
export const importsPage = page(async (call) => {
  const filters = parseFilters(call);
  const isFirst = !isFiltered(filters) && filters.start === 0;
  const mayUpload = canUpload(call);
  const [types, needed, sources, uploadTypes, list] = await Promise.all([
    readFilterTypes(call),
    isFirst ? needsYou(call) : (false as const),
    isFirst ? sourcesCard(call) : (false as const),
    mayUpload ? readImportTypes(call) : [],
    allImports(call, filters),
  ]);
  const upload =
    mayUpload &&
    card({
      id: 'upload-card',
      title: 'Upload a file',
      body: html`<div class="drop">${uploadForm(call, uploadTypes)}</div>`,
    });
  return {
    title: 'Imports',
    place: 'imports',
    entries: ['imports'],
    status: list.status,
    body: html`<div class="page wide">
<header class="page-head"><h1>Imports</h1>
<div class="row">
${hasSftpPage(call) && buttonLink({ text: 'sFTP', href: '/imports/sftp', kind: 'quiet', icon: 'queue' })}
${buttonLink({ text: 'Refresh', href: listPath(filters, filters.start), kind: 'quiet', icon: 'refresh' })}
${
  mayUpload
    ? buttonLink({
        text: 'Upload file',
        href: '/imports/new',
        kind: 'primary',
        icon: 'upload',
        key: 'u',
      })
    : false
}
</div></header>
<div class="imports-grid">
<div>${needed}${card({
      id: 'all',
      title: 'All imports',
      body: html`${filterForm(filters, types)}${list.body}`,
    })}</div>
<div>${upload}${sources}</div>
</div>
</div>`,
  };
});

async function allImports(
  call: PageCall,
  filters: ImportFilters,
): Promise<{ readonly status: number; readonly body: Markup }> {
  try {
    const { answer } = await call.call('importfile/search', {
      ...searchParameters(filters),
      OrderBy: '-ImportFileID',
      RecordStart: filters.start,
      DisplaySize: PAGE_ROWS,
    });
    return { status: 200, body: await results(call, filters, answer) };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status !== 400) throw error;
    return { status: 400, body: html`<div class="card-body">${errorNote(error.masked())}</div>` };
  }
}

async function results(call: PageCall, query: ImportFilters, list: AnswerFor<'importfile/search'>): Promise<Markup> {
  const { rows, count: total, isEstimate } = rowsOf(list);
  const { start } = query;
  if (rows.length === 0) return noImports(query);
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
<nav class="page-turn" aria-label="Pages">
<span>${start + 1} to ${start + rows.length} of ${isEstimate && 'about '}${groupedCount(total)}</span>
${newer}
${older}
</nav>`;
}

function noImports(query: ImportFilters): Markup {
  const empty = isFiltered(query)
    ? emptyState({
        title: 'No imports match these filters.',
        text: 'Imports whose log has expired are not listed either.',
        action: buttonLink({ text: 'Show all imports', href: '/imports' }),
      })
    : emptyState({
        title: 'Nothing has been imported yet.',
        text: 'Files appear here as soon as somebody sends one: here, by a program, or by sFTP.',
        icon: 'import',
      });
  return html`<div role="status">${empty}</div>`;
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
  return html`<div id="files" data-live="importfile" data-live-mode="quiet">${table({
    label: 'Imports, newest first',
    className: 'stacked import-rows',
    heads: [
      'Name',
      'Status',
      'Import type',
      call.user.universal && 'Firm',
      ...['Saved', 'Warnings', 'Failed'].map((text) => ({ text, isNumber: true })),
      'Started',
    ],
    rows: rows.map((row) => importRow(call, row, details)),
  })}</div>`;
}

function importRow(call: PageCall, row: ImportRow, { labels, progress }: ImportDetails): Markup {
  const id = row.ImportFileID;
  const running = progress.get(id);
  // A running import has its counts in its progress; the row gets them when it ends.
  const counts = running ?? row;
  const bar = running && isActive(row) && html` ${progressBar(row, running)}`;
  return html`<tr>
<th scope="row"><a id="file-${id}" href="${importPath(id)}">${fileName(row)}</a></th>
<td>${statusMark(row)}${bar}</td>
<td>${reference(call, 'ImportFileTemplate', row.ImportFileTemplateID, labels) ?? noValue}</td>
${call.user.universal && html`<td>${reference(call, 'Organization', row.OrganizationID, labels) ?? staffMark}</td>`}
<td class="number" data-label="Saved">${groupedCount(counts.SuccessCount)}</td>
<td class="number" data-label="Warnings">${resultCount(id, counts.Warnings, 'warned', 'rows with warnings')}</td>
<td class="number" data-label="Failed">${resultCount(id, counts.ErrorCount, 'failed', 'failed rows')}</td>
<td>${shortTimeMark(call, row.ImportStart) || noValue}</td>
</tr>\n`;
}

const staffMark = html`<span class="muted">Staff</span>`;

/** Links to a record to which an import refers; undefined where it refers to none. */
function reference(call: PageCall, type: RecordName, id: number | null, labels: Labels): Markup | undefined {
  const label = id === null ? undefined : labels.get(type)?.get(id);
  const name = type === 'ImportFileTemplate' && label !== undefined ? typeTitle(label) : label;
  return id !== null ? recordLink(call, type, id, name) : undefined;
}

/** Renders a count as a link to its rows. */
function resultCount(id: number, value: number | null, filter: string, what: string): Markup {
  if ((value ?? 0) === 0) return html`<span class="muted">0</span>`;
  const text = html`${groupedCount(value)}<span class="hidden"> ${what}</span>`;
  const tone = filter === 'failed' ? 'late' : 'soon';
  return html`<a class="${tone}" id="${filter}-${id}" href="${importPath(id)}?Show=${filter}#rows">${text}</a>`;
}
