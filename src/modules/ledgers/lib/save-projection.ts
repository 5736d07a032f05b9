/** Writing what a projection of a ledger returns. */
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError, type Alert } from '../../../kernel/door/errors.ts';
import { scratch } from '../../../kernel/door/scratch.ts';
import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { insertMany } from '../../../kernel/records/save/insert-many.ts';
import { planColumns, planOptions, planSave } from '../../../kernel/records/save/plan.ts';
import { saveRecord } from '../../../kernel/records/save/save-record.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { today } from '../../../kernel/time/today.ts';
import { approvedAlert, isApprovedEntry } from './approved-entries.ts';
import { assertNotAllRefused } from './change-records.ts';
import { lockedLineAlert } from './ledger-locks.ts';
import { lineRulesOf, type LineRules } from './ledger-template.ts';
import { writingLedger } from './ledger-writes.ts';
import { isPaid } from './posted-payments.ts';
import { projectLedger, type ProjectedLine } from './project-ledger.ts';
import { projectedNames, type ProjectedValues } from './project-line.ts';
import { lockLedgers, type Ledger, type Line } from './stored-lines.ts';
import { totalLedger } from './total-ledger.ts';

/** What a calculation does besides totaling. */
export interface CalculationOptions {
  /** Whether the lines are projected first. */
  readonly projects: boolean;
  /** The day to which they are; today by default. */
  readonly goodThrough?: string | undefined;
}

/** Calculates a ledger: projects its lines and stores them, totals it, and rolls it up. */
export async function calculateLedger(
  ctx: Context,
  ledger: Ledger,
  { projects, goodThrough }: CalculationOptions,
): Promise<void> {
  await lockLedgers(ctx, [ledger.LedgerID]);
  if (projects) await saveProjection(ctx, ledger, await projectLedger(ctx, ledger, goodThrough ?? today(ctx)));
  await totalLedger(ctx, ledger.LedgerID);
}

/**
 * Calculates stored lines and stores them. Warns of those that are kept as they are.
 *
 * @throws LOCKED, STATE_REFUSES if all of them are
 */
export async function calculateLines(ctx: Context, lines: readonly Line[], goodThrough = today(ctx)): Promise<void> {
  const only = new Set(lines.map(({ LedgerItemID }) => LedgerItemID));
  const calculated = new Set<number>();
  for (const id of new Set(lines.map(({ LedgerID }) => LedgerID))) {
    const ledger = await readRecord(ctx.db, ctx.registry.recordType('Ledger'), id);
    const projected = await projectLedger(ctx, ledger, goodThrough, only);
    await saveProjection(ctx, ledger, projected);
    await totalLedger(ctx, id);
    for (const { stored } of projected) if (stored) calculated.add(stored.LedgerItemID);
  }
  const unchanged = lines.filter(({ LedgerItemID }) => !calculated.has(LedgerItemID)).map(unchangedAlert);
  assertNotAllRefused(unchanged, lines.length);
  for (const alert of unchanged) ctx.alert(alert);
}

function unchangedAlert(line: Line): Alert {
  const id = line.LedgerItemID;
  if (line.IsLocked === true) return lockedLineAlert(id);
  if (isPaid(line)) return { code: 'STATE_REFUSES', text: `Line ${id} is paid, so its amount stays.`, id };
  if (isApprovedEntry(line)) return approvedAlert(id);
  return { code: 'STATE_REFUSES', text: `Line ${id} is not calculated: CanRefresh of its template line is false.`, id };
}

/** Stores projected lines: changes those that differ, and adds new ones if the ledger takes them. */
async function saveProjection(ctx: Context, ledger: Ledger, projected: readonly ProjectedLine[]): Promise<void> {
  for (const { stored, values } of projected) if (stored) await updateLine(ctx, stored, values);
  const added = projected.filter(({ stored }) => !stored);
  if (ledger.IsLocked !== true && ledger.IsExpandable !== false) await insertLines(ctx, ledger, added);
}

async function updateLine(ctx: Context, stored: Line, values: ProjectedValues): Promise<void> {
  const changed = projectedNames.filter((name) => (values[name] ?? null) !== stored[name]);
  if (changed.length === 0) return;
  const plan = planColumns(
    ctx.registry.recordType('LedgerItem'),
    Object.fromEntries(changed.map((name) => [name, values[name] ?? null])) as ProjectedValues,
  );
  plan.id = stored.LedgerItemID;
  await saveRecord(ctx, plan, 'update');
}

/** A line to add to a ledger. */
type NewLine = Pick<ProjectedLine, 'rules' | 'values'>;

/** Adds lines, with a ledger below each whose template line names one. */
async function insertLines(ctx: Context, ledger: Ledger, lines: readonly NewLine[]): Promise<void> {
  if (lines.length === 0) return;
  const children: Parameters[] = [];
  for (const { rules, values } of lines) {
    const filled = projectedNames.flatMap((name) => {
      const value = values[name];
      return value === null || value === undefined ? [] : [[name, value] as const];
    });
    children.push({
      ...Object.fromEntries(filled),
      LedgerID: ledger.LedgerID,
      ...(rules && { LedgerTemplateItemID: rules.id, ...(await childLedger(ctx, ledger, rules)) }),
    });
  }
  await insertMany(ctx, ctx.registry.recordType('LedgerItem'), children);
}

async function childLedger(
  ctx: Context,
  ledger: Ledger,
  { childTemplateId }: LineRules,
): Promise<{ readonly ChildLedgerID?: number }> {
  if (childTemplateId === null) return {};
  const values = { LedgerTemplateID: childTemplateId, Object: 'Ledger', ObjectID: ledger.LedgerID };
  const plan = planSave(ctx.registry, ctx.registry.recordType('Ledger'), values, planOptions(ctx));
  const { row } = await saveRecord(ctx, plan, 'save');
  return { ChildLedgerID: row.LedgerID };
}

/** Templates whose lines are being added to new ledgers: that of the outermost, and those below. */
const filling = scratch('ledger templates whose lines are being added', () => new Set<number | null>());

/**
 * Adds the lines of its template to a new ledger, also to one that accepts no more lines.
 *
 * @throws STATE_REFUSES for a template that is below itself, as two saves at the same moment can leave it
 */
export async function addTemplateLines(ctx: Context, ledger: Ledger): Promise<void> {
  const templates = ctx.scratch(filling);
  const { LedgerTemplateID: id } = ledger;
  if (templates.has(id))
    throw new PlatformError('STATE_REFUSES', {
      field: 'LedgerTemplateID',
      message: `LedgerTemplateID: ledger template ${id} is below itself. Remove it from one of its lines.`,
    });
  templates.add(id);
  try {
    await addLinesOf(ctx, ledger);
  } finally {
    templates.delete(id);
  }
}

async function addLinesOf(ctx: Context, ledger: Ledger): Promise<void> {
  const rules = (await lineRulesOf(ctx, ledger.LedgerTemplateID)).filter(({ isAdded }) => isAdded);
  await writingLedger(ctx, () =>
    insertLines(
      ctx,
      ledger,
      rules.map((rule) => ({ rules: rule, values: rule.defaults })),
    ),
  );
}
