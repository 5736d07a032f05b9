import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { today } from '../../../kernel/time/today.ts';
import { adjustedChange } from '../lib/adjusted-change.ts';
import { moneyUnits } from '../lib/money.ts';
import { projectLedger, type ProjectedLine } from '../lib/project-ledger.ts';
import { projectedFields } from '../lib/project-line.ts';

const rows = {
  LedgerItemID: f.id({ doc: 'The line; empty if it would be added.' }),
  LedgerTemplateItemID: f.id({ doc: 'The line of the template.', to: 'LedgerTemplateItem' }),
  ChildLedgerID: f.id({ doc: 'The ledger below.', to: 'Ledger' }),
  ...projectedFields,
  AmountMoneyBefore: f.money({ doc: 'The stored amount.' }),
  AdjustedChange: required(
    f.money({ label: 'Change of the total', doc: 'How much a calculation would add to the adjusted balance by it.' }),
  ),
};

export const operation = defineOperation({
  module: 'ledgeritem',
  name: 'Project',
  method: 'GET',
  summary:
    'Returns the lines of a ledger as a calculation through a day would produce them, without storing them. Locked ' +
    'lines, approved time entries and lines whose template line has no CanRefresh are not among them.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'LedgerID',
  reach: 'row',
  params: {
    LedgerID: required(f.id({ doc: 'The ledger.', to: 'Ledger' })),
    GoodThrough: f.date({ doc: 'The day to which lines are projected. Defaults to today.' }),
    Changed: f.boolean({
      doc: 'Only lines whose amount a calculation would change, and those that it would add.',
      default: false,
    }),
  },
  returns: 'list',
  rows,
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'BAD_PARAMETER', 'BAD_SIGNATURE', 'NO_PERMISSION', 'TOO_LARGE'],
  source: '2-workflow-ledgers-worklists-ai §4, Ledgers',
});

export const run = handle(operation, async (ctx, { GoodThrough, Changed }) => {
  const ledger = namedRow(ctx, ctx.registry.recordType('Ledger'), 'LedgerID');
  const day = GoodThrough ?? today(ctx);
  const projected = await projectLedger(ctx, ledger, day, Changed ? 'may change' : undefined);
  return list(
    'LedgerItem',
    rows,
    (Changed ? projected.filter(isChanged) : projected).map(({ stored, rules, values }) => ({
      LedgerItemID: stored?.LedgerItemID ?? null,
      LedgerTemplateItemID: stored?.LedgerTemplateItemID ?? rules?.id ?? null,
      ChildLedgerID: stored?.ChildLedgerID ?? null,
      ...values,
      AmountMoneyBefore: stored?.AmountMoney ?? null,
      AdjustedChange: adjustedChange(stored, values, rules),
    })),
  );
});

function isChanged({ stored, rules, values }: ProjectedLine): boolean {
  if (!stored || moneyUnits(adjustedChange(stored, values, rules)) !== 0n) return true;
  const { AmountMoney: before } = stored;
  const { AmountMoney: after = null } = values;
  return before === null || after === null ? before !== after : moneyUnits(before) !== moneyUnits(after);
}
