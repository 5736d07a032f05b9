import { list } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { notFound } from '../../../kernel/records/search/read.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { today } from '../../../kernel/time/today.ts';
import { ledgerItem } from '../ledgeritem/ledgeritem.record.ts';
import { previewTemplate } from './lib/preview-template.ts';

const { fields } = ledgerItem;

const rows = {
  LedgerTemplateItemID: f.id({ doc: 'The line of the template; empty for a line of its ProjectMethod.' }),
  LedgerItem: f.text({ label: 'Line', doc: 'What the line is for.' }),
  Units: fields.Units,
  UnitCount: fields.UnitCount,
  Rate: fields.Rate,
  AmountMoney: fields.AmountMoney,
  IsDebit: required(f.boolean({ label: 'Debit', doc: 'Whether it is a debit.' })),
  IsTotaled: required(f.boolean({ label: 'In the total', doc: 'Whether it counts in the adjusted balance.' })),
  MatrixID: f.id({ label: 'Decision table', doc: 'The matrix that set its values.', to: 'Matrix' }),
  ChildLedgerID: f.id({ label: 'Ledger below', doc: 'Set if a ledger is below the line. The ID is not stored.' }),
  Currency: f.text({ doc: 'The currency of the ledger.' }),
  Balance: required(f.money({ doc: 'The balance of the ledger.' })),
  BalanceAdjusted: required(f.money({ label: 'Adjusted balance', doc: 'The adjusted balance of the ledger.' })),
};

export const operation = defineOperation({
  module: 'ledgertemplate',
  name: 'Preview',
  method: 'POST',
  summary:
    'Returns the lines that a new ledger of a template would have for a record, calculated through a day, with its ' +
    'balances. The ledger is created, calculated and rolled back: nothing is stored.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'LedgerTemplateSave',
  names: ['ID', { object: 'Object', id: 'ObjectID' }],
  params: {
    ID: required(f.id({ doc: 'The ledger template.' })),
    Object: required(f.text({ doc: 'The record type, such as Foreclosure.', max: 60 })),
    ObjectID: required(f.id({ doc: 'The record.' })),
    GoodThrough: f.date({ doc: 'The day through which lines are calculated. Defaults to today.' }),
  },
  returns: 'list',
  answerName: 'LedgerPreview',
  rows,
  errors: [
    'NOT_FOUND',
    'STATE_REFUSES',
    'BAD_PARAMETER',
    'BAD_SIGNATURE',
    'NO_PERMISSION',
    'TOO_LARGE',
    'RULE_EXCEPTION',
  ],
  source: 'LED-01, LED-18',
  checkQueued: (ctx, { ID }) => assertStaff(ctx, Number(ID)),
});

export const run = handle(operation, async (ctx, { ID, Object: object, ObjectID, GoodThrough }) => {
  assertStaff(ctx, ID);
  const { ledger, lines } = await previewTemplate(ctx, ID, {
    object: ctx.registry.requireRecord(object, 'Object').name,
    objectId: ObjectID,
    goodThrough: GoodThrough ?? today(ctx),
  });
  const { Currency, Balance, BalanceAdjusted } = ledger;
  return list(
    'LedgerPreview',
    rows,
    lines.map((line) => ({
      ...line,
      Currency,
      Balance: Balance ?? '0',
      BalanceAdjusted: BalanceAdjusted ?? '0',
    })),
  );
});

/** Firms can read templates but not change them, so they get no preview. */
function assertStaff(ctx: Context, id: number): void {
  if (!ctx.user.universal) throw notFound(ctx.registry.recordType('LedgerTemplate'), id);
}
