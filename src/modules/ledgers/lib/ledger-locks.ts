/** When the state of a ledger refuses a change. */
import type { SetStatement } from '../../../kernel/database/combined-call.ts';
import { arrayLiteral, type Db } from '../../../kernel/database/store.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError, type Alert } from '../../../kernel/door/errors.ts';
import { scratch } from '../../../kernel/door/scratch.ts';
import { isWritingLedger } from './ledger-writes.ts';
import { assertPostedUnchanged } from './posted-payments.ts';
import type { Line } from './stored-lines.ts';

/** The permission to change locked ledgers, and to unlock ledgers and lines. */
const UPDATE_LOCKED = 'LedgerUpdateLocked';

/** Whether the caller may change locked ledgers. */
export function mayUpdateLocked({ user }: Pick<Context, 'user'>): boolean {
  return user.permissions.has(UPDATE_LOCKED);
}

/** Returns the warning of a record that is locked, and what unlocks it. */
function lockedAlert(what: string, id: number): Alert {
  return { code: 'LOCKED', text: `${what} is locked. Unlocking it needs the permission ${UPDATE_LOCKED}.`, id };
}

/** Returns the warning of a locked line. */
export function lockedLineAlert(id: number): Alert {
  return lockedAlert(`Line ${id}`, id);
}

/** Returns the warning of a locked ledger. */
export function lockedLedgerAlert(id: number): Alert {
  return lockedAlert(`Ledger ${id}`, id);
}

/** Throws LOCKED with its warning. */
export function refuseLocked(field: string, alert: Alert): never {
  throw new PlatformError('LOCKED', { field, message: `${field}: ${alert.text}`, alerts: [alert] });
}

/** The state of a ledger. */
interface LedgerState {
  readonly ledgerId: number;
  readonly isLedgerLocked: boolean | null;
  readonly isExpandable: boolean | null;
  /** A locked line that the ledger rolls up into, through any number of ledgers; the caller may not see it. */
  readonly lockedAbove: number | null;
  /** The payment through a gateway that is recorded by the line or by one that the ledger rolls up into. */
  readonly paymentId: number | null;
}

/** The state of a line and of its ledger. */
interface LineState extends LedgerState {
  readonly lineId: number;
  readonly isLineLocked: boolean | null;
  readonly role: Line['PaymentRole'];
}

/** Returns columns of {@link LedgerState} for ledger `l`. `lines`: SQL of lines that may record a payment. */
function stateColumns(lines: string): string {
  return `l.ledgerid as "ledgerId", l.islocked as "isLedgerLocked", l.isexpandable as "isExpandable",
    casewright_locked_above(l.ledgerid) as "lockedAbove",
    (select min(line.paymentid) from (${lines}) own cross join lateral (
       select p.paymentid from payment p where p.ledgeritemid = own.ledgeritemid
       union all select r.paymentid from paymentrefund r where r.ledgeritemid = own.ledgeritemid
       union all select d.paymentid from paymentdispute d where d.ledgeritemid = own.ledgeritemid
     ) line) as "paymentId"`;
}

const linesAbove = 'select a.ledgeritemid from ledgeritem a where a.childledgerid = l.ledgerid';

/**
 * Locks the ledger of a line, as every change of its lines does, then the line, and returns their state. Without a lock
 * of its own the line would be read as it was before the wait for the ledger, for example not locked yet.
 */
async function readState(ctx: Context, lineId: number): Promise<LineState | undefined> {
  const [state] = await ctx.db.query<LineState>(lineStates('= $1::bigint'), [lineId]);
  return state;
}

function lineStates(ids: string): string {
  return `select i.ledgeritemid as "lineId", i.islocked as "isLineLocked", i.paymentrole as role,
      ${stateColumns(`select i.ledgeritemid union all ${linesAbove}`)}
    from ledgeritem i join ledger l on l.ledgerid = i.ledgerid
    where i.ledgeritemid ${ids}
    for no key update of l, i`;
}

/** Locks ledgers, and returns their states; undefined for one that the caller does not see. */
const lockStates: SetStatement<number, LedgerState | undefined> = async (db, ids) => {
  const states = new Map<number, LedgerState | undefined>();
  // New lines that are combined are those of one ledger. For an array of ids PostgreSQL would plan each time anew.
  for (const id of new Set(ids)) states.set(id, await lockState(db, id));
  return ids.map((id) => states.get(id));
};

async function lockState(db: Db, ledgerId: number): Promise<LedgerState | undefined> {
  const [state] = await db.query<LedgerState>(
    `select ${stateColumns(linesAbove)} from ledger l where l.ledgerid = $1::bigint for no key update of l`,
    [ledgerId],
  );
  return state;
}

/** The ledger whose state was read last, as long as no statement has followed. */
const lastState = scratch('state of the ledger of new lines', (): { last: LastState | undefined } => ({
  last: undefined,
}));

interface LastState {
  readonly ledgerId: number;
  readonly state: LedgerState | undefined;
  readonly statementCount: number;
}

/** Reads the state of the ledger that a new line is inserted into, for {@link assertNewLineFits}. */
export async function readStateAhead(ctx: Context, ledgerId: number | null | undefined): Promise<void> {
  if (typeof ledgerId === 'number' && !isWritingLedger(ctx)) await ledgerState(ctx, ledgerId);
}

async function ledgerState(ctx: Context, ledgerId: number): Promise<LedgerState | undefined> {
  const transaction = ctx.transaction();
  const known = ctx.scratch(lastState);
  if (known.last?.ledgerId === ledgerId && known.last.statementCount === transaction.statementCount)
    return known.last.state;
  const reading = transaction.together(lockStates, ledgerId);
  const { statementCount } = transaction;
  const state = await reading;
  known.last = { ledgerId, state, statementCount };
  return state;
}

/**
 * Throws if a stored line may not be changed or deleted. Returns its ledger. A locked line is only unlocked, by users
 * who may change locked ledgers.
 */
export async function assertLineChanges(
  ctx: Context,
  lineId: number,
  columns: ReadonlySet<string>,
): Promise<number | undefined> {
  const state = await readState(ctx, lineId);
  if (state && !isWritingLedger(ctx)) assertStateAllows(ctx, state, columns);
  return state?.ledgerId;
}

/** Throws as {@link assertLineChanges} for several lines, whose ledgers are locked. Returns their ledgers. */
export async function assertLinesChange(
  ctx: Context,
  lineIds: readonly number[],
  columns: ReadonlySet<string>,
): Promise<ReadonlySet<number>> {
  const states = await ctx.db.query<LineState>(lineStates('= any($1::bigint[])'), [arrayLiteral(lineIds)]);
  if (!isWritingLedger(ctx)) for (const state of states) assertStateAllows(ctx, state, columns);
  return new Set(states.map(({ ledgerId }) => ledgerId));
}

function assertStateAllows(ctx: Context, state: LineState, columns: ReadonlySet<string>): void {
  assertNotPaidByGateway(state, columns);
  const onlyUnlocks = columns.size === 1 && columns.has('IsLocked') && mayUpdateLocked(ctx);
  if (state.isLineLocked === true && !onlyUnlocks) refuseLocked('LedgerItemID', lockedLineAlert(state.lineId));
  assertPostedUnchanged(state.lineId, state.role, columns);
  if (!onlyUnlocks) assertUnlocked(ctx, state);
}

/** Throws if a line that was just moved or restored may not be in its ledger. */
export async function assertLineFits(ctx: Context, lineId: number): Promise<void> {
  if (!isWritingLedger(ctx)) assertTakesLines(ctx, await readState(ctx, lineId));
}

/** Throws if a ledger does not take a line that was just inserted. */
export async function assertNewLineFits(ctx: Context, ledgerId: number): Promise<void> {
  if (!isWritingLedger(ctx)) assertTakesLines(ctx, await ledgerState(ctx, ledgerId));
}

function assertTakesLines(ctx: Context, state: LedgerState | undefined): void {
  if (!state) return;
  assertNotPaidByGateway(state, new Set());
  assertUnlocked(ctx, state);
  if (state.isExpandable === false)
    throw new PlatformError('STATE_REFUSES', {
      field: 'LedgerID',
      message: `LedgerID: ledger ${state.ledgerId} accepts no more lines.`,
      alerts: [{ code: 'STATE_REFUSES', text: `Ledger ${state.ledgerId} accepts no more lines.`, id: state.ledgerId }],
    });
}

/** Columns of a line by which a ledger would differ from the gateway that took the money. */
const takenColumns = [
  'AmountMoney',
  'ChildLedgerID',
  'IsDebit',
  'IsTotaled',
  'LedgerID',
  'LedgerTemplateItemID',
  'TransactionNumber',
];

/** Throws for a change of what a payment gateway has taken or paid back; `columns` is empty for other changes. */
function assertNotPaidByGateway({ paymentId }: LedgerState, columns: ReadonlySet<string>): void {
  if (paymentId === null || (columns.size > 0 && !takenColumns.some((name) => columns.has(name)))) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'LedgerItemID',
    message:
      `LedgerItemID: the line records payment ${paymentId}, which a payment gateway has carried out. To pay it back, ` +
      'call payment/refund.',
  });
}

function assertUnlocked(ctx: Context, { ledgerId, isLedgerLocked, lockedAbove }: LedgerState): void {
  if (mayUpdateLocked(ctx)) return;
  if (isLedgerLocked === true) refuseLocked('LedgerID', lockedLedgerAlert(ledgerId));
  if (lockedAbove !== null)
    refuseLocked('LedgerID', lockedAlert(`A line into which ledger ${ledgerId} rolls up`, ledgerId));
}

/** Columns of a ledger that only users who may change locked ledgers change while it is locked. */
const lockedColumns = [
  'IsLocked',
  'IsExpandable',
  'Completed',
  'PostedDate',
  'LedgerTemplateID',
  'Object',
  'ObjectID',
  'Currency',
];

/** Throws if a stored ledger is locked against a change; `columns` is empty for a delete. */
export async function assertLedgerChanges(ctx: Context, ledgerId: number, columns: ReadonlySet<string>): Promise<void> {
  if (mayUpdateLocked(ctx) || (columns.size > 0 && !lockedColumns.some((name) => columns.has(name)))) return;
  const [row] = await ctx.db.query<{ islocked: boolean | null }>(
    'select islocked from ledger where ledgerid = $1::bigint for no key update',
    [ledgerId],
  );
  if (row?.islocked === true) refuseLocked('LedgerID', lockedLedgerAlert(ledgerId));
}
