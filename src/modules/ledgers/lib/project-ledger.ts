/** The projection of a ledger: what its lines come to on a day. Nothing here writes. */
import type { Answer } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { timeZone } from '../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { withOwnReports } from '../../../kernel/door/own-reports.ts';
import { callSignature } from '../../../kernel/door/signature.ts';
import { calendarDay } from '../../../kernel/time/clock.ts';
import { decideForRecord } from '../../rules/public/matrix-decision.ts';
import { isApprovedEntry } from './approved-entries.ts';
import { isPaid } from './posted-payments.ts';
import { lineRulesOf, rulesOf, type LineRules } from './ledger-template.ts';
import {
  daysThrough,
  parseProjected,
  projectedNames,
  projectLine,
  type LineDefaults,
  type ProjectedValues,
} from './project-line.ts';
import { adjustedBalances, linesOf, type Ledger, type Line } from './stored-lines.ts';

/** A ProjectMethod only reads: a preview calls it, too. */
export const projectMethodUse = { field: 'ProjectMethod', onlyReads: true } as const;

/** A line as it will be. */
export interface ProjectedLine {
  /** The stored line; undefined for one that is to be added. */
  readonly stored: Line | undefined;
  readonly rules: LineRules | undefined;
  readonly values: ProjectedValues;
}

const noDefaults: LineDefaults = {};

/** A line to calculate, before its calculation. */
interface Candidate {
  readonly stored: Line | undefined;
  readonly rules: LineRules | undefined;
  /** The values of the method's row, over those stored. */
  readonly values: ProjectedValues;
}

/**
 * Returns the lines of a ledger as they are on a day: those that its ProjectMethod returns or, without one, its own
 * lines and those that its template adds. Locked and paid lines, approved time entries, and lines that their template
 * line keeps are not among them. With `only`, those of these IDs or, faster for large ledgers, without lines whose
 * amount cannot change.
 */
export async function projectLedger(
  ctx: Context,
  ledger: Ledger,
  goodThrough: string,
  only?: ReadonlySet<number> | 'may change',
): Promise<readonly ProjectedLine[]> {
  const all = await candidatesOf(ctx, ledger, goodThrough, only === 'may change');
  const chosen =
    only === undefined || only === 'may change'
      ? all
      : all.filter(({ stored }) => stored !== undefined && only.has(stored.LedgerItemID));
  const candidates = chosen.filter(({ stored, rules }) => !(stored && isFixed(stored)) && rules?.canRefresh !== false);
  const below = await adjustedBalances(
    ctx,
    candidates.flatMap(({ stored }) => (stored?.ChildLedgerID ? [stored.ChildLedgerID] : [])),
  );
  const measures = await measuresOf(ctx, ledger, candidates);
  return candidates.map(({ stored, rules, values }) => ({
    stored,
    rules,
    values: projectCandidate(values, {
      rules,
      below: stored?.ChildLedgerID ? (below.get(stored.ChildLedgerID) ?? null) : undefined,
      measures: rules?.matrixId ? (measures.get(rules.matrixId) ?? {}) : {},
      currency: ledger.Currency,
      days: daysThrough(values.EffectiveDate ?? firstDay(ctx, stored, ledger), goodThrough),
    }),
  }));
}

/** Whether the state of a line keeps it as it is. */
function isFixed(line: Line): boolean {
  return line.IsLocked === true || isPaid(line) || isApprovedEntry(line);
}

function projectCandidate(
  values: ProjectedValues,
  {
    rules,
    below,
    measures,
    days,
    currency,
  }: Pick<Parameters<typeof projectLine>[1], 'below' | 'measures' | 'days' | 'currency'> & Pick<Candidate, 'rules'>,
): ProjectedValues {
  // A line that no template line describes keeps the amount that somebody gave it.
  if (!rules && below === undefined && (values.AmountMoney ?? null) !== null) return values;
  return projectLine(values, { below, measures, defaults: rules?.defaults ?? noDefaults, days, currency });
}

/** The first day of a line without an EffectiveDate: the day on which it was posted, else the ledger's first. */
function firstDay(ctx: Context, stored: Line | undefined, ledger: Ledger): string {
  return calendarDay(ctx.settings.get(timeZone), Date.parse(stored?.PostedDate ?? ledger.CreatedDate));
}

async function candidatesOf(
  ctx: Context,
  ledger: Ledger,
  goodThrough: string,
  isLean: boolean,
): Promise<readonly Candidate[]> {
  const template = await rulesOf(ctx, ledger.LedgerTemplateID);
  const rules = await lineRulesOf(ctx, ledger.LedgerTemplateID);
  const isPartial = isLean && !template?.projectMethod;
  const lines = await linesOf(ctx, ledger.LedgerID, isPartial ? mayChange(rules) : undefined);
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  if (template?.projectMethod) {
    const rows = await callProjectMethod(ctx, template.projectMethod, ledger, goodThrough);
    return rows.map((row) => methodCandidate(row, { ledger, lines, byId }));
  }
  const present = isPartial
    ? await templateLinesOf(ctx, ledger.LedgerID)
    : new Set(lines.map(({ LedgerTemplateItemID }) => LedgerTemplateItemID));
  const missing = rules.filter(({ id, isAdded }) => isAdded && !present.has(id));
  return [
    ...lines.map((stored) => ({
      stored,
      rules: byId.get(stored.LedgerTemplateItemID ?? 0),
      values: ownValues(stored),
    })),
    ...missing.map((rule) => ({ stored: undefined, rules: rule, values: {} })),
  ];
}

/**
 * Returns the SQL condition of lines whose amount a calculation may change: of a ledger below, without an amount, or
 * with a template line and a rate or matrix. What {@link projectLine} does decides.
 */
function mayChange(rules: readonly LineRules[]): string {
  const ids = rules.flatMap(({ id, matrixId, defaults: { Rate } }) => (matrixId || Rate ? [id] : []));
  const isRuled = ids.length === 0 ? '' : ` or ledgeritem.ledgertemplateitemid in (${ids.join(', ')})`;
  return `ledgeritem.islocked is not true and (ledgeritem.paiddate is null or coalesce(ledgeritem.amountmoney, 0) = 0)
    and (ledgeritem.childledgerid is not null or ledgeritem.amountmoney is null
    or (ledgeritem.ledgertemplateitemid is not null and ledgeritem.rate is not null)${isRuled})`;
}

/** Returns the template lines that lines of a ledger have. */
async function templateLinesOf(ctx: Context, ledgerId: number): Promise<ReadonlySet<number | null>> {
  const rows = await ctx.db.query<{ id: number }>(
    `select distinct ledgertemplateitemid as id from ledgeritem
     where ledgerid = $1::bigint and ledgertemplateitemid is not null`,
    [ledgerId],
  );
  return new Set(rows.map(({ id }) => id));
}

type AnswerRow = Readonly<Record<string, unknown>>;

async function callProjectMethod(
  ctx: Context,
  method: string,
  ledger: Ledger,
  goodThrough: string,
): Promise<readonly AnswerRow[]> {
  // A saved statement must see the ledger and the lines of a ledger that this transaction has inserted.
  const answer = await withOwnReports(ctx, () =>
    callSignature(ctx, method, projectMethodUse, (name) =>
      name.toLowerCase() === 'goodthrough' ? goodThrough : ledgerValue(ledger, name),
    ),
  );
  return rowsOfAnswer(answer);
}

/** Returns the value of a column of a ledger for a signature; empty for any other name. */
export function ledgerValue(ledger: Ledger, name: string): string | null {
  const found = Object.entries(ledger).find(([column]) => column.toLowerCase() === name.toLowerCase());
  return found?.[1] === null || found?.[1] === undefined ? null : String(found[1]);
}

/** Returns the rows of a method's answer: of a list, or the only one of an item. */
export function rowsOfAnswer(answer: Answer): readonly AnswerRow[] {
  if (answer.kind === 'list') return answer.rows as readonly AnswerRow[];
  return answer.kind === 'item' ? [answer.row as AnswerRow] : [];
}

interface LedgerLines {
  readonly ledger: Ledger;
  readonly lines: readonly Line[];
  readonly byId: ReadonlyMap<number, LineRules>;
}

/**
 * Returns the line that a row of a ProjectMethod describes: by its LedgerItemID, else by its template line, else a new
 * one.
 */
function methodCandidate(row: AnswerRow, { ledger, lines, byId }: LedgerLines): Candidate {
  const [id, templateItemId] = [idIn(row, 'LedgerItemID'), idIn(row, 'LedgerTemplateItemID')];
  const stored =
    id === undefined
      ? lines.find((line) => templateItemId !== undefined && line.LedgerTemplateItemID === templateItemId)
      : lines.find((line) => line.LedgerItemID === id);
  if (id !== undefined && !stored)
    throw methodError(`it returned line ${id}, which ledger ${ledger.LedgerID} does not have`);
  const rules = byId.get(stored?.LedgerTemplateItemID ?? templateItemId ?? 0);
  if (!stored && templateItemId !== undefined && !rules)
    throw methodError(`it returned template line ${templateItemId}, which the ledger's template does not have`);
  return {
    stored,
    rules,
    values: { ...(stored ? ownValues(stored) : {}), ...parseProjected(row, 'ProjectMethod') },
  };
}

function idIn(row: AnswerRow, name: string): number | undefined {
  const [, value] = Object.entries(row).find(([column]) => column.toLowerCase() === name.toLowerCase()) ?? [];
  return value === null || value === undefined || value === '' ? undefined : Number(value);
}

function methodError(what: string): PlatformError {
  return new PlatformError('STATE_REFUSES', { field: 'ProjectMethod', message: `ProjectMethod: ${what}.` });
}

function ownValues(line: Line): ProjectedValues {
  return Object.fromEntries(projectedNames.map((name) => [name, line[name]]));
}

/** Looks up the matrices of the lines for the ledger, each once. Returns their outputs by matrix. */
async function measuresOf(
  ctx: Context,
  ledger: Ledger,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<number, Readonly<Record<string, unknown>>>> {
  const ids = new Set(candidates.flatMap(({ rules }) => (rules?.matrixId ? [rules.matrixId] : [])));
  const subject = { record: ctx.registry.recordType('Ledger'), id: ledger.LedgerID, row: ledger };
  const measures = new Map<number, Readonly<Record<string, unknown>>>();
  for (const id of ids) {
    const { mismatches, values } = await decideForRecord(ctx, id, subject, { kind: 'summary' });
    measures.set(id, mismatches === 0 ? values : {});
  }
  return measures;
}
