import type { RecordAnswerFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { recordId, type Row } from '../../../kernel/door/answer.ts';
import { parametersFromCode } from '../../../kernel/parameters/parameters.ts';
import { today } from '../../../kernel/time/today.ts';
import { withFailedSteps } from '../failed-steps.ts';
import { loadLabels, type DisplayedRows, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { listColumns, rowsOf, type TableColumn } from '../table.ts';
import { readStageDays, type CaseRow, type StageDays } from './case-cells.ts';
import { readLineSides } from './line-sides.ts';
import { readLoanParties, type LoanParties } from './loan-parties.ts';
import type { ListSource } from './list-sources.ts';
import { filterQuery, orderOf, parentOf, searchFilters, type ListState } from './list-state.ts';

/** Rows of one page. */
export const PAGE_ROWS = 100;
/** Up to this many records are added up. */
const TOTALS_MAX = 10_000;

/** The rows of one page of a list, with everything that their cells show. */
export interface ListData {
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn[];
  readonly count: number;
  readonly isEstimate: boolean;
  readonly nextCursor: string | undefined;
  readonly labels: Labels;
  readonly days: ReadonlyMap<number, StageDays>;
  /** Borrowers and properties by loan, in a firm's list of cases. */
  readonly parties: ReadonlyMap<number, LoanParties>;
  /** Whether each ledger line is a debit, by its ID, in a list of ledger lines. */
  readonly debits: ReadonlyMap<number, boolean>;
  readonly failed: ReadonlySet<number>;
  readonly totals: { readonly sum: string | undefined; readonly among: number } | undefined;
  readonly today: string;
}

/** Reads one page of a list. */
export async function readList(call: PageCall, source: ListSource, state: ListState): Promise<ListData> {
  const { record } = source;
  const list = await searchPage(call, source, state);
  const { rows, count, isEstimate } = rowsOf(list);
  const columns = shownColumns(source, state, rows);
  const caseRows = record.name === 'CaseSummary' ? (rows as readonly CaseRow[]) : [];
  const [labels, days, parties, debits, failed, totals] = await Promise.all([
    loadLabels(call, [{ columns, rows }, parentReference(call, state)]),
    columns.some(({ name }) => name === 'StageTarget') ? readStageDays(call, caseRows) : new Map<number, StageDays>(),
    record.name === 'Process' && columns.some(({ name }) => name === 'LoanID')
      ? readLoanParties(call, rows as readonly RowNamed<'Process'>[])
      : new Map<number, LoanParties>(),
    record.name === 'LedgerItem' ? readLineSides(call, rows as readonly RowNamed<'LedgerItem'>[]) : noDebits,
    withFailedSteps(call, record, rows),
    isEstimate || count > TOTALS_MAX ? undefined : readTotals(call, source, state),
  ]);
  return {
    rows,
    columns,
    count,
    isEstimate,
    nextCursor: rows.at(-1)?.NextCursor ?? undefined,
    labels,
    days,
    parties,
    debits,
    failed,
    totals,
    today: today(call.platform),
  };
}

const noDebits: ReadonlyMap<number, boolean> = new Map();

/** Returns the record to which the filters restrict the list, for looking up its label. */
function parentReference(call: PageCall, state: ListState): DisplayedRows {
  const parent = parentOf(call, state);
  return { columns: [], rows: parent ? [{ Object: parent.record.name, ObjectID: parent.id }] : [] };
}

/**
 * Reads the rows from the page's cursor, so that deep pages are fast too. A mailed address contains another user's
 * cursor, which the search refuses; the page is then read by the number of rows before it, and so are pages without
 * cursors: of rows sorted by texts that are too long for one.
 */
async function searchPage(call: PageCall, source: ListSource, state: ListState): Promise<RecordAnswerFor<'search'>> {
  const parameters = searchFilters(call, source, state);
  const search = async (from: Readonly<Record<string, string>>) =>
    (
      await call.callNamed(
        `${source.record.module}/search`,
        parametersFromCode({
          ...parameters,
          ...from,
          DisplaySize: String(PAGE_ROWS),
          OrderBy: orderOf(source, state),
        }),
      )
    ).answer as RecordAnswerFor<'search'>;
  const start = String(state.start);
  const starts = [...(state.cursor === '' ? [] : [{ Cursor: state.cursor }]), { Cursor: '*', RecordStart: start }];
  for (const from of starts) {
    try {
      return await search(from);
    } catch (error) {
      const isRefused = error instanceof PlatformError && ['Cursor', 'OrderBy'].includes(error.field ?? '');
      if (!isRefused) throw error;
    }
  }
  return search({ RecordStart: start });
}

/** Returns the columns that the user or the view chose, else the list's own, else those that have values. */
function shownColumns({ record, columns }: ListSource, state: ListState, rows: readonly Row[]): readonly TableColumn[] {
  const names = state.columns.length > 0 ? state.columns : columns;
  if (names === undefined) return listColumns(record, rows);
  const known = names.flatMap((name) => {
    const column = record.columns.get(name.toLowerCase());
    return column?.read ? [{ name: column.name, field: column.field }] : [];
  });
  // The label opens the record, so it is always there.
  const label = record.columns.get(record.name.toLowerCase());
  return label && !known.some(({ name }) => name === label.name)
    ? [{ name: label.name, field: label.field }, ...known]
    : known;
}

async function readTotals(call: PageCall, source: ListSource, state: ListState): Promise<ListData['totals']> {
  if (!source.totals) return undefined;
  const { answer } = await call.call('view/totals', {
    RecordType: source.record.name,
    Filters: filterQuery(state).toString(),
    Sum: source.totals.sum,
    Among: source.totals.among,
  });
  return { sum: answer.row.Sum ?? undefined, among: answer.row.Among };
}

/** Returns the id of a listed row. */
export function rowId(source: ListSource, row: Row): number {
  return recordId(source.record, row);
}
