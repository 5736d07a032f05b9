import type { TreeNode } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { readColumns } from '../../../kernel/records/search/read.ts';
import { today } from '../../../kernel/time/today.ts';
import { readStatement, type StatementTotals } from './lib/read-statement.ts';
import { statementNode } from './lib/statement-node.ts';

const line: TreeNode = {
  name: 'Line',
  children: [
    { name: 'LedgerItemID', value: 7 },
    { name: 'Date', value: '2026-03-10' },
    { name: 'LedgerItem', value: 'Filing fee' },
    { name: 'Debit', value: '250.00' },
    { name: 'Balance', value: '375.00' },
  ],
};

export const operation = defineOperation({
  module: 'ledger',
  name: 'Statement',
  method: 'GET',
  summary:
    'Returns a statement of account: the balance before a period, the lines in it that are totaled with the balance ' +
    'after each, its payments, the balance at its end, and unapplied funds. The day of a line is when it was posted, ' +
    'else its EffectiveDate, else when it was created. Document types print it: Method=Ledger/Statement?ID={LedgerID}.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The ledger.' })),
    From: f.date({ doc: 'The first day. Empty: from the first line.' }),
    To: f.date({ doc: 'The last day, included. Defaults to today.' }),
  },
  returns: 'tree',
  answerName: 'Statement',
  example: {
    name: 'Statement',
    children: [
      { name: 'LedgerID', value: 3 },
      { name: 'Currency', value: 'USD' },
      { name: 'OpeningBalance', value: '125.00' },
      { name: 'Lines', list: true, children: [line] },
      { name: 'ClosingBalance', value: '375.00' },
      { name: 'UnappliedFunds', value: '0.00' },
    ],
  },
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'TOO_LARGE'],
  source: 'decisions, Workflow, ledgers, worklists',
});

export const run = handle(operation, async (ctx, { From, To }) => {
  const ledger = namedRow(ctx, ctx.record);
  const period = { from: From ?? null, to: To ?? today(ctx) };
  if (period.from !== null && period.from > period.to) throw bad('From', `a day not after To, ${period.to}`);
  const statement = await readStatement(ctx, ledger.LedgerID, period);
  const caseName = await nameOf(ctx, statement.totals);
  return { kind: 'tree', root: statementNode(ledger, period, { ...statement, caseName }) };
});

/** Returns the name of the record that the ledger belongs to; null if it has none or is not visible. */
async function nameOf(ctx: Context, { object, objectId }: StatementTotals): Promise<string | null> {
  const record = object === null ? undefined : ctx.registry.record(object);
  if (!record || objectId === null) return null;
  const row = await readColumns(ctx.db, record, objectId, [record.name]);
  const name = row?.[record.name];
  return typeof name === 'string' && name !== '' ? name : null;
}
