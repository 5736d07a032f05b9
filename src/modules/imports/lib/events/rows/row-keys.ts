import { Cache } from '../../../../../kernel/time/cache.ts';
import { endsWithReason, isBlankRecord } from '../../../../../lib/readers/delimited.ts';
import type { DelimitedRecords } from '../../../../../lib/readers/scan-delimited.ts';
import { KeyHasher, type KeyHash } from './last-rows.ts';
import type { CaseKind, EventCodeConfig } from '../../../../cases/public/event-codes.ts';
import { LAYOUT_COLUMNS, type EventLayout } from '../file/event-layout.ts';

/** Kind of a record, by its first value and its number of values. */
export type RecordKind = 'event' | 'passed over' | 'unreadable';

/** What an event belongs to, and the column that identifies it. */
export interface EventTarget {
  readonly meaning: EventCodeConfig | undefined;
  readonly kind: CaseKind;
  /** Position of the column that identifies the case; -1 if none does. */
  readonly keyPlace: number;
}

/** Codes cached by the text of their bytes; files have some hundred. */
const CODES_REMEMBERED_MAX = 10_000;

/**
 * Classifies records and hashes the key by which two events are the same: firm, loan, code, and file or case number.
 * Both readings of a file use it, so that they cannot disagree.
 */
export class RowKeys {
  private readonly codes: ReadonlyMap<string, EventCodeConfig>;
  private readonly hasher = new KeyHasher();
  /** Configurations by the code's bytes as text; undefined for codes that are not configured. */
  private readonly cache = new Cache<string, EventCodeConfig | undefined>({ max: CODES_REMEMBERED_MAX });
  private readonly provider: number;
  private readonly code: number;
  private readonly loan: number;
  private readonly file: number;
  private readonly court: number;
  private readonly delay: number;

  /** @param codes configured codes, in upper case */
  constructor(layout: EventLayout, codes: ReadonlyMap<string, EventCodeConfig>) {
    this.codes = codes;
    this.provider = layout.place('ProviderCode');
    this.code = layout.place('BusinessEventCode');
    this.loan = layout.place('InvestorLoanNumberID');
    this.file = layout.place('FCAttorneyFileID');
    this.court = layout.place('BKCaseNumberID');
    this.delay = layout.place('DelayTypeCode');
  }

  /** Classifies a record. Blank lines, headers and footers are skipped; `unreadable` fails for its form. */
  kindOf(records: DelimitedRecords, record: number): RecordKind {
    const { problems, firstCells } = records;
    if (problems.size > 0 && problems.has(record)) return 'unreadable';
    const first = firstCells[record] as number;
    const count = (firstCells[record + 1] as number) - first;
    if (equalsWord(records, first, EVENT)) return hasLayout(records, record, count) ? 'event' : 'unreadable';
    if (equalsWord(records, first, HEADER) || equalsWord(records, first, FOOTER)) return 'passed over';
    const isBlank = isBlankRecord(records, record) || (count === 1 && !hasValue(records, first));
    return isBlank ? 'passed over' : 'unreadable';
  }

  /** Returns what an event belongs to: by the configuration of its code, else by its columns. */
  targetOf(records: DelimitedRecords, record: number): EventTarget {
    const first = records.firstCells[record] as number;
    const meaning = this.configOf(records, first + this.code);
    const kind = meaning?.kind ?? this.kindByColumns(records, first);
    return { meaning, kind, keyPlace: this.keyPlace(kind) };
  }

  /** Hashes the key; false if the event lacks a part of it, which fails the row. */
  hashOf(records: DelimitedRecords, record: number, { keyPlace }: EventTarget, hash: KeyHash): boolean {
    const first = records.firstCells[record] as number;
    this.hasher.begin();
    if (
      !this.add(records, first + this.provider) ||
      !this.add(records, first + this.loan) ||
      !this.add(records, first + this.code)
    )
      return false;
    if (keyPlace >= 0 && !this.add(records, first + keyPlace)) return false;
    this.hasher.end(hash);
    return true;
  }

  private keyPlace(kind: CaseKind): number {
    if (kind === 'Foreclosure') return this.file;
    return kind === 'Bankruptcy' ? this.court : -1;
  }

  private add(records: DelimitedRecords, cell: number): boolean {
    const { bytes } = records;
    let start = records.starts[cell] as number;
    let end = records.ends[cell] as number;
    while (start < end && bytes[start] === SPACE) start++;
    while (end > start && bytes[end - 1] === SPACE) end--;
    this.hasher.add(bytes, start, end);
    return end > start;
  }

  private configOf(records: DelimitedRecords, cell: number): EventCodeConfig | undefined {
    const text = records.bytes.toString('latin1', records.starts[cell], records.ends[cell]);
    return this.cache.getOrLoad(text, () => this.codes.get(text.trim().toUpperCase()));
  }

  private kindByColumns(records: DelimitedRecords, first: number): CaseKind {
    if (hasValue(records, first + this.delay)) return 'Delay';
    if (hasValue(records, first + this.court)) return 'Bankruptcy';
    return hasValue(records, first + this.file) ? 'Foreclosure' : 'Loan';
  }
}

const SPACE = 32;
const EVENT = Buffer.from('EVENT');
const HEADER = Buffer.from('HEADER');
const FOOTER = Buffer.from('FOOTER');

/** Whether a cell is a word in capitals, ignoring case and surrounding spaces. */
function equalsWord({ bytes, starts, ends }: DelimitedRecords, cell: number, word: Buffer): boolean {
  let start = starts[cell] as number;
  let end = ends[cell] as number;
  while (start < end && bytes[start] === SPACE) start++;
  while (end > start && bytes[end - 1] === SPACE) end--;
  if (end - start !== word.length) return false;
  for (let at = 0; at < word.length; at++) if (((bytes[start + at] as number) & 0xdf) !== word[at]) return false;
  return true;
}

/**
 * Whether a row has the columns of the layout, and after them at most a reason. A reason in column 110 belongs to a row
 * that failed because it lacks a column.
 */
function hasLayout(records: DelimitedRecords, record: number, count: number): boolean {
  if (count === LAYOUT_COLUMNS) return !endsWithReason(records, record);
  if (count !== LAYOUT_COLUMNS + 1) return false;
  const last = (records.firstCells[record + 1] as number) - 1;
  return endsWithReason(records, record) || !hasValue(records, last);
}

function hasValue({ bytes, starts, ends }: DelimitedRecords, cell: number): boolean {
  const end = ends[cell] as number;
  for (let at = starts[cell] as number; at < end; at++) if (bytes[at] !== SPACE) return true;
  return false;
}
