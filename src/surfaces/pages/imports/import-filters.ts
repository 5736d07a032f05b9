import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { button, buttonLink } from '../design/button.ts';
import { checkbox, selectField, textField } from '../design/field.ts';
import type { PageCall } from '../page-call.ts';
import { rowOffset } from '../plain-text.ts';
import { typeTitle, type ImportRow } from './import-display.ts';

/** The columns of an import type that the filters need. */
type ImportType = Pick<
  RowNamed<'ImportFileTemplate'>,
  'ImportFileTemplateID' | 'ImportFileTemplate' | 'OnCompleteStatus'
>;

/** Imports of one page. */
export const PAGE_ROWS = 25;
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

/** The query of the page's address. `failed`: only imports with failed rows. `start`: imports to skip. */
export interface ImportFilters {
  readonly filters: Readonly<Partial<Record<(typeof filterNames)[number], string>>>;
  readonly failed: boolean;
  readonly start: number;
}

/** Reads the filters of the page's address. */
export function parseFilters({ query }: PageCall): ImportFilters {
  const filters = Object.fromEntries(
    filterNames.flatMap((name) =>
      typeof query[name] === 'string' && query[name].trim() !== '' ? [[name, query[name].trim()]] : [],
    ),
  );
  return { filters, failed: query['Failed'] === 'true', start: rowOffset(query['RecordStart']) };
}

/** Whether any filter is set. */
export function isFiltered({ filters, failed }: ImportFilters): boolean {
  return Object.keys(filters).length > 0 || failed;
}

/**
 * Returns the filters as the search takes them. A plain word finds names that contain it; imports without an event are
 * left out.
 */
export function searchParameters({
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

/** Returns the address of a page of the list. */
export function listPath({ filters, failed }: ImportFilters, start: number): string {
  const query = new URLSearchParams({
    ...filters,
    ...(failed ? { Failed: 'true' } : {}),
    ...(start > 0 ? { RecordStart: String(start) } : {}),
  }).toString();
  return query === '' ? '/imports' : `/imports?${query}`;
}

/** Reads the import types that the filter offers. */
export async function readFilterTypes(call: PageCall): Promise<readonly ImportType[]> {
  if (!call.may('importfiletemplate/search')) return [];
  const { answer } = await call.call('importfiletemplate/search', {
    SqlColumns: 'ImportFileTemplateID,ImportFileTemplate,OnCompleteStatus',
    OrderBy: 'ImportFileTemplate',
    DisplaySize: TYPES_MAX,
    RecordCount: 'false',
  });
  return answer.rows;
}

/** Renders the filters above the list. */
export function filterForm(query: ImportFilters, types: readonly ImportType[]): Markup {
  const { filters, failed } = query;
  const text = (id: string, label: string, name: (typeof filterNames)[number]): Markup =>
    textField({ id, label, name, value: filters[name] });
  return html`<form class="filter-line" action="/imports" method="get" role="search" aria-label="Filter">
${text('by-name', 'Name', 'ImportFile')}
${statusFilter(filters.Status, types)}
${
  types.length > 0 &&
  selectField({
    id: 'by-template',
    label: 'Import type',
    name: 'ImportFileTemplateID',
    value: filters.ImportFileTemplateID,
    empty: 'Any',
    choices: types.map((type) => ({
      value: String(type.ImportFileTemplateID),
      text: typeTitle(type.ImportFileTemplate ?? ''),
    })),
  })
}
${text('by-reference', 'Reference', 'Reference')}
${textField({
  id: 'by-number',
  label: 'Import number',
  name: 'ImportFileID',
  value: filters.ImportFileID,
  attributes: html`inputmode="numeric"`,
})}
${checkbox({ label: 'Failed rows only', name: 'Failed', isChecked: failed })}
${button({ text: 'Filter', icon: 'filter' })}
${isFiltered(query) && buttonLink({ text: 'Clear', href: '/imports', kind: 'quiet' })}
</form>`;
}

function statusFilter(chosen: string | undefined, types: readonly ImportType[]): Markup {
  const own = types.map((row) => row.OnCompleteStatus ?? '').filter((status) => status !== '');
  const known = [...new Set([...statuses, ...own, ...(chosen === undefined ? [] : [chosen])])];
  return selectField({
    id: 'by-status',
    label: 'Status',
    name: 'Status',
    value: chosen,
    empty: 'Any',
    choices: known.map((status) => ({ value: status, text: status })),
  });
}
