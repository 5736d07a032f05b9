import type { AnswerRowFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import type { TypeRow } from '../documents/generated-types.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { today } from '../days.ts';
import { isFiltered, noFilter, type LedgerState, type LineFilter } from './ledger-state.ts';
import { statementTypes } from './statement-dialog.ts';

/** A line of a ledger, as `ledger/lines` returns it. */
export type LineRow = AnswerRowFor<'ledger/lines'>;

/** A line as a calculation would store it. */
type ProjectedRow = AnswerRowFor<'ledgeritem/project'>;

/** Lines of a page of a ledger, and of one below a line. */
export const LINES_SHOWN = 200;
/** How far below a ledger others are shown in its table. */
const DEPTH_MAX = 6;
const DOCUMENTS_SHOWN = 8;

/** A line with the lines of the ledger below it, where they are shown. */
export interface ShownLine {
  readonly row: LineRow;
  readonly ledgerId: number;
  readonly level: number;
  /** Undefined while the ledger below is closed. */
  readonly below: readonly ShownLine[] | undefined;
}

/** Whether a payment covers an amount of the line, or somebody marked it as paid. */
export function isPaid({ PaidDate: paid, AmountMoney: amount }: LineRow): boolean {
  return paid !== null && Number(amount ?? 0) !== 0;
}

/** The line of a payment, and its ledger. */
interface PaymentPlace {
  readonly ledgerId: number;
  readonly lineId: number;
}

/** What the page of a ledger shows. */
export interface LedgerView {
  readonly row: RowNamed<'Ledger'>;
  readonly state: LedgerState;
  readonly lines: readonly ShownLine[];
  /** How many lines the filter shows, on all pages. */
  readonly lineCount: number;
  /** The sums of these lines. */
  readonly totals: { readonly debits: string; readonly credits: string };
  /** The lines that a projection changes, by the ID of the stored one; undefined without a projection. */
  readonly projected: ReadonlyMap<number, ProjectedRow> | undefined;
  /** Lines that a calculation would add. */
  readonly added: readonly ProjectedRow[];
  /** The lines that this ledger rolls up into. */
  readonly above: readonly RowNamed<'LedgerItem'>[];
  readonly documents: readonly RowNamed<'Attachment'>[];
  /** The template lines that users can add. */
  readonly manualLines: readonly RowNamed<'LedgerTemplateItem'>[];
  /** The document types that print its statement. */
  readonly statementTypes: readonly TypeRow[];
  readonly labels: Labels;
  /** The payment that covers the line that is being edited. */
  readonly paidBy: PaymentPlace | undefined;
}

/** Reads what the page of a ledger shows. */
export async function readLedger(call: PageCall, id: number, state: LedgerState): Promise<LedgerView> {
  const { row } = (await call.call('ledger/select', { ID: id })).answer;
  const [lines, projected, above, documents, manualLines, statements] = await Promise.all([
    readLines(call, id, { open: new Set(state.open), level: 0, start: state.start, filter: state.filter }),
    readProjection(call, id, state.through),
    readAbove(call, id),
    readDocuments(call, row),
    readManualLines(call, row),
    statementTypes(call),
  ]);
  const labels = await loadLabels(call, [
    referencesOf([row], ['LedgerTemplateID', 'LedgerTemplate']),
    referencesOf(above, ['LedgerID', 'Ledger']),
    referencesOf(
      flatLines(lines).map((line) => line.row),
      ['MatrixID', 'Matrix'],
    ),
  ]);
  return {
    row,
    state,
    lines,
    lineCount: lines[0]?.row.LineCount ?? 0,
    totals: { debits: lines[0]?.row.DebitTotal ?? '0', credits: lines[0]?.row.CreditTotal ?? '0' },
    projected: projected && new Map(projected.flatMap((each) => keyed(each))),
    added:
      takesLines(row) && !isFiltered(state.filter)
        ? (projected?.filter(({ LedgerItemID }) => LedgerItemID === null) ?? [])
        : [],
    above,
    documents,
    manualLines,
    statementTypes: statements,
    labels,
    paidBy: await readPaidBy(call, flatLines(lines), state.edit),
  };
}

/** Returns the last payment that covers a line that is being edited; undefined if it is not paid by one. */
async function readPaidBy(
  call: PageCall,
  lines: readonly ShownLine[],
  edited: LedgerState['edit'],
): Promise<PaymentPlace | undefined> {
  const line = lines.find(({ row }) => row.LedgerItemID === edited);
  if (!line || !isPaid(line.row) || !call.may('ledgeritem/search')) return undefined;
  const one = { OrderBy: '-LedgerItemID', DisplaySize: 1, RecordCount: 'false' };
  const reference = { ReferenceLedgerItemID: String(line.row.LedgerItemID), PaymentRole: 'Applied' };
  const [applied] = (await call.call('ledgeritem/search', { ...reference, ...one })).answer.rows;
  if (!applied) return undefined;
  const of = { ChildLedgerID: String(applied.LedgerID), PaymentRole: 'Payment' };
  const [payment] = (await call.call('ledgeritem/search', { ...of, ...one })).answer.rows;
  return payment && { ledgerId: payment.LedgerID, lineId: payment.LedgerItemID };
}

/** Whether a calculation adds the lines to a ledger that it lacks. */
function takesLines({ IsLocked: isLocked, IsExpandable: isExpandable }: RowNamed<'Ledger'>): boolean {
  return isLocked !== true && isExpandable !== false;
}

function keyed(row: ProjectedRow): (readonly [number, ProjectedRow])[] {
  return row.LedgerItemID === null ? [] : [[row.LedgerItemID, row]];
}

/** Returns lines and all shown below them, in the order of the table. */
export function flatLines(lines: readonly ShownLine[]): readonly ShownLine[] {
  return lines.flatMap((line) => [line, ...flatLines(line.below ?? [])]);
}

interface LinesToRead {
  readonly open: ReadonlySet<number>;
  readonly level: number;
  readonly start: number;
  /** Of the ledger itself; lines of those below are all shown. */
  readonly filter: LineFilter;
}

async function readLines(
  call: PageCall,
  ledgerId: number,
  { open, level, start, filter }: LinesToRead,
): Promise<readonly ShownLine[]> {
  const { answer } = await call.call('ledger/lines', {
    ID: ledgerId,
    Kind: filter.kind === '' ? null : filter.kind,
    State: filter.state === '' ? null : filter.state,
    Contains: filter.text,
    RecordStart: start,
    DisplaySize: LINES_SHOWN,
  });
  return Promise.all(
    answer.rows.map(async (row) => ({
      row,
      ledgerId,
      level,
      below:
        row.ChildLedgerID !== null && open.has(row.LedgerItemID) && level < DEPTH_MAX
          ? await readLines(call, row.ChildLedgerID, { open, level: level + 1, start: 0, filter: noFilter })
          : undefined,
    })),
  );
}

async function readProjection(
  call: PageCall,
  id: number,
  through: string,
): Promise<readonly ProjectedRow[] | undefined> {
  if (through === '' || !call.may('ledgeritem/project')) return undefined;
  return (await call.call('ledgeritem/project', { LedgerID: id, GoodThrough: through, Changed: true })).answer.rows;
}

async function readAbove(call: PageCall, id: number): Promise<readonly RowNamed<'LedgerItem'>[]> {
  if (!call.may('ledgeritem/search')) return [];
  const { answer } = await call.call('ledgeritem/search', {
    ChildLedgerID: String(id),
    DisplaySize: 5,
    RecordCount: 'false',
  });
  return answer.rows;
}

const MANUAL_LINES_MAX = 50;

/** Returns the template lines that users can add to a ledger. */
export async function readManualLines(
  call: PageCall,
  { LedgerTemplateID: templateId }: RowNamed<'Ledger'>,
): Promise<readonly RowNamed<'LedgerTemplateItem'>[]> {
  if (templateId === null || !call.may('ledgertemplateitem/search')) return [];
  const { answer } = await call.call('ledgertemplateitem/search', {
    LedgerTemplateID: String(templateId),
    ManualInsert: '>= 1',
    OrderBy: 'Sequence,LedgerTemplateItemID',
    DisplaySize: MANUAL_LINES_MAX,
    RecordCount: 'false',
  });
  return answer.rows;
}

/** Reads the documents of the ledger, such as its invoice, and those of its case that have the invoice's type. */
async function readDocuments(call: PageCall, row: RowNamed<'Ledger'>): Promise<readonly RowNamed<'Attachment'>[]> {
  if (!call.may('attachment/search')) return [];
  const own = call.call('attachment/search', {
    Object: 'Ledger',
    ObjectID: String(row.LedgerID),
    DisplaySize: DOCUMENTS_SHOWN,
    RecordCount: 'false',
    OrderBy: '-AttachmentID',
  });
  const [{ answer }, invoices] = await Promise.all([own, readInvoices(call, row)]);
  return [...answer.rows, ...invoices];
}

async function readInvoices(
  call: PageCall,
  { LedgerTemplateID: templateId, Object: object, ObjectID: objectId }: RowNamed<'Ledger'>,
): Promise<readonly RowNamed<'Attachment'>[]> {
  if (templateId === null || object === null || objectId === null || !call.may('ledgertemplate/search')) return [];
  const { answer: found } = await call.call('ledgertemplate/search', {
    ID: String(templateId),
    SqlColumns: 'LedgerTemplateID,InvoiceTemplateID',
    RecordCount: 'false',
  });
  const type = found.rows[0]?.InvoiceTemplateID ?? null;
  if (type === null) return [];
  const { answer } = await call.call('attachment/search', {
    Object: object,
    ObjectID: String(objectId),
    AttachmentTemplateID: String(type),
    DisplaySize: DOCUMENTS_SHOWN,
    RecordCount: 'false',
    OrderBy: '-AttachmentID',
  });
  return answer.rows;
}

/** Returns the next Friday, of today if it is one: the day to which ledgers are usually projected. */
export function nextFriday(call: PageCall): string {
  const day = new Date(`${today(call)}T00:00:00Z`);
  const DAYS = 7;
  const FRIDAY = 5;
  day.setUTCDate(day.getUTCDate() + ((FRIDAY - day.getUTCDay() + DAYS) % DAYS || DAYS));
  return day.toISOString().slice(0, 10);
}
