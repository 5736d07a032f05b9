/**
 * Totals of ledgers. The database totals a ledger with each change of its lines. Where the template has a
 * CalculateMethod, the platform calls that instead.
 */
import type { Context } from '../../../kernel/door/context.ts';
import { marks } from '../../../kernel/door/scratch.ts';
import { withOwnReports } from '../../../kernel/door/own-reports.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { callSignature } from '../../../kernel/door/signature.ts';
import { f } from '../../../kernel/declare/field.ts';
import { parseValue, type RawValue } from '../../../kernel/parameters/parse-value.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';
import { rulesOf, templatesWithMethod } from './ledger-template.ts';
import { ledgerValue, rowsOfAnswer } from './project-ledger.ts';
import { lockLedgers } from './stored-lines.ts';

/** A CalculateMethod only reads. */
export const calculateMethodUse = { field: 'CalculateMethod', onlyReads: true } as const;

/** Ledgers whose totals by method are due at the end of the transaction. */
const dueTotals = marks<number>('ledgers to total by method');

/** Totals a ledger and those above it. */
export async function totalLedger(ctx: Context, ledgerId: number): Promise<void> {
  await ctx.db.query('select casewright_ledger_total($1::bigint)', [ledgerId]);
  await totalByMethods(ctx, ledgerId);
}

/**
 * Has the CalculateMethods of a ledger and of those above it called before the commit, once for all changes of its
 * lines. Does nothing where no template has one.
 */
export async function scheduleTotals(ctx: Context, ledgerId: number): Promise<void> {
  if ((await templatesWithMethod(ctx)).size === 0) return;
  ctx.once(dueTotals, ledgerId, () => ctx.beforeCommit(() => totalByMethods(ctx, ledgerId)));
}

async function totalByMethods(ctx: Context, ledgerId: number): Promise<void> {
  const templates = await templatesWithMethod(ctx);
  if (templates.size === 0) return;
  for (const id of await ledgersWithMethod(ctx, ledgerId, [...templates])) await totalByMethod(ctx, id);
}

/** Returns the ledgers with a method, of a ledger and all above it; each after those below it. */
async function ledgersWithMethod(ctx: Context, ledgerId: number, templates: readonly number[]): Promise<number[]> {
  const rows = await ctx.db.query<{ id: number }>(
    // No ledger is below itself, so the recursion ends.
    `with recursive above (ledgerid, depth) as (
       select $1::bigint, 0
       union
       select i.ledgerid, a.depth + 1 from above a join ledgeritem i on i.childledgerid = a.ledgerid
     )
     select a.ledgerid as id from above a join ledger l on l.ledgerid = a.ledgerid
     where l.ledgertemplateid = any($2::bigint[])
     group by a.ledgerid order by max(a.depth), a.ledgerid`,
    [ledgerId, arrayLiteral(templates)],
  );
  return rows.map(({ id }) => id);
}

async function totalByMethod(ctx: Context, ledgerId: number): Promise<void> {
  await lockLedgers(ctx, [ledgerId]);
  const ledger = await readRecord(ctx.db, ctx.registry.recordType('Ledger'), ledgerId);
  const method = (await rulesOf(ctx, ledger.LedgerTemplateID))?.calculateMethod;
  if (!method) return;
  // A saved statement must see the lines that this transaction has changed.
  const answer = await withOwnReports(ctx, () =>
    callSignature(ctx, method, calculateMethodUse, (name) => ledgerValue(ledger, name)),
  );
  const [row = {}] = rowsOfAnswer(answer);
  await ctx.db.query(
    'update ledger set balance = $2::text::numeric, balanceadjusted = $3::text::numeric where ledgerid = $1::bigint',
    [ledgerId, totalIn(row, 'Balance'), totalIn(row, 'BalanceAdjusted')],
  );
  await ctx.db.query('select casewright_ledger_rollup($1::bigint)', [ledgerId]);
}

const totalField = f.money({ doc: 'A total.' });

/**
 * Returns a total of the first row that a CalculateMethod returned.
 *
 * @throws STATE_REFUSES if the row lacks it
 */
function totalIn(row: Readonly<Record<string, unknown>>, name: 'Balance' | 'BalanceAdjusted'): string {
  const [, value] = Object.entries(row).find(([column]) => column.toLowerCase() === name.toLowerCase()) ?? [];
  // The sum of no lines.
  if (value === null) return '0';
  if (value === undefined || value === '')
    throw new PlatformError('STATE_REFUSES', {
      field: 'CalculateMethod',
      message: `CalculateMethod: its first row has no ${name}; expected Balance and BalanceAdjusted.`,
    });
  return String(parseValue(totalField, value as RawValue, `CalculateMethod: ${name}`, { timeZone: 'UTC' }));
}
