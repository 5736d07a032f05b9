import type { AnswerRowFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import { caseLink } from '../case/case-link.ts';
import { recordPath } from '../display-values.ts';
import { loadLabels, type Labels } from '../labels.ts';
import type { Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';

/** A coming work item. */
export type UpcomingRow = AnswerRowFor<'smartworklistmember/upcoming'>;

/** What names the record of an item: a case by its borrowers and property, else a record by its label. */
export interface ItemCase {
  readonly name: string;
  /** The property, on one line; empty without one. */
  readonly place: string;
  /** The case's number or the record's label, if it is not the name. */
  readonly number: string;
  /** How far the case is, and what it is on hold for; undefined for other records. */
  readonly progress?: CaseProgress;
}

/** How far a case is. */
type CaseProgress = Pick<RowNamed<'CaseSummary'>, 'Stage' | 'StageNumber' | 'StageCount' | 'Hold'>;

/** Cases by record type and id. */
export type ItemCases = ReadonlyMap<string, ItemCase>;

/** Returns the key of a record in {@link ItemCases}. */
export function caseKey({ Object: type, ObjectID: id }: RecordReference): string {
  return `${type} ${id}`;
}

/** A record, as rows name their parents. */
export interface RecordReference {
  readonly Object: string | null;
  readonly ObjectID: number | null;
}

/** Reads what names the records of items, with one search for each record type. */
export async function loadItemCases(call: PageCall, rows: readonly RecordReference[]): Promise<ItemCases> {
  const references = rows.map(({ Object: type, ObjectID: id }) => ({ Object: type, ObjectID: id }));
  const [labels, summaries] = await Promise.all([
    loadLabels(call, [{ columns: [], rows: references }]),
    loadSummaries(call, references),
  ]);
  return new Map(
    references.map((reference) => {
      const key = caseKey(reference);
      const number = labelOf(call, labels, reference);
      const summary = summaries.get(reference.ObjectID ?? 0);
      const isCase = summary !== undefined && summary.RecordClass === reference.Object;
      if (!isCase || (summary.Borrower ?? '') === '') return [key, { name: number, place: '', number: '' }];
      const town = [summary.City, summary.State].filter((text) => (text ?? '') !== '').join(' ');
      const place = [summary.Address, town].filter((text) => (text ?? '') !== '').join(', ');
      return [key, { name: summary.Borrower ?? '', place, number, progress: summary }];
    }),
  );
}

/** The columns of a case's summary that name it. */
type SummaryRow = Pick<
  RowNamed<'CaseSummary'>,
  'ProcessID' | 'RecordClass' | 'Borrower' | 'Address' | 'City' | 'State' | keyof CaseProgress
>;

/** Reads the summaries of cases, by the case's id. Firms, who cannot see all that summaries show, get none. */
async function loadSummaries(
  call: PageCall,
  references: readonly RecordReference[],
): Promise<ReadonlyMap<number, SummaryRow>> {
  const ids = new Set(
    references.flatMap(({ Object: type, ObjectID: id }) =>
      id !== null && (type === 'Foreclosure' || type === 'Bankruptcy') ? [id] : [],
    ),
  );
  if (ids.size === 0 || !call.user.universal || !call.may('casesummary/search')) return new Map();
  const { answer } = await call.call('casesummary/search', {
    ProcessID: [...ids].join(','),
    SqlColumns: 'CaseSummaryID,ProcessID,RecordClass,Borrower,Address,City,State,Stage,StageNumber,StageCount,Hold',
    RecordCount: 'false',
    DisplaySize: ids.size,
  });
  return new Map(answer.rows.map((row) => [row.ProcessID ?? 0, row]));
}

function labelOf(call: PageCall, labels: Labels, { Object: type, ObjectID: id }: RecordReference): string {
  const name = type ?? '';
  const label = labels.get(name)?.get(id ?? 0) ?? '';
  return label === '' ? `${call.platform.registry.titleOf(name)} ${id ?? ''}` : label;
}

/** Returns the address of an item's record: its case page, if it is a case. Undefined if it may not be seen. */
export function recordAddress(call: PageCall, { Object: type, ObjectID: id }: RecordReference): string | undefined {
  const record = type === null ? undefined : call.platform.registry.record(type);
  if (!record || id === null || !call.mayOf(record, 'select')) return undefined;
  const link: Markup | false = caseLink(call, { name: record.name, id }, '');
  return link === false ? recordPath(record.module, id) : `/case/${record.module}/${id}`;
}

/** Returns what an item is called: its name, or its record's kind. */
export function itemTitle(call: PageCall, row: Pick<UpcomingRow, 'SmartWorklistMember' | 'SourceObject'>): string {
  const name = row.SmartWorklistMember ?? '';
  return name === '' ? call.platform.registry.titleOf(row.SourceObject ?? '') : name;
}
