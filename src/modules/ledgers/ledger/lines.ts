import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { ledgerItem } from '../ledgeritem/ledgeritem.record.ts';
import { lineKinds, lineStates, readLedgerLines } from './lib/ledger-lines.ts';

/** Lines of a page, if the caller does not say how many, and most of them. */
const SIZE = 200;
const SIZE_MAX = 1_000;

const { fields } = ledgerItem;

const rows = {
  LedgerItemID: required(f.id({ doc: 'The line.', to: 'LedgerItem' })),
  LedgerItem: f.text({ label: 'Line', doc: 'What the line is for.' }),
  LedgerItemType: f.text({ label: 'Type', doc: 'Its type.' }),
  Status: f.text({ doc: 'Its status.' }),
  Sequence: fields.Sequence,
  Units: fields.Units,
  UnitCount: fields.UnitCount,
  Rate: fields.Rate,
  AmountMoney: fields.AmountMoney,
  AmountMoneyCountered: fields.AmountMoneyCountered,
  IsDebit: required(f.boolean({ label: 'Debit', doc: 'Whether it is a debit, by itself or by its template line.' })),
  IsTotaled: required(
    f.boolean({ label: 'In the total', doc: 'Whether it counts in the adjusted balance, as IsDebit.' }),
  ),
  CanExclude: required(f.boolean({ label: 'May be left out', doc: 'Whether it may be excluded from the total.' })),
  IsLocked: required(f.boolean({ label: 'Locked', doc: 'Whether it is locked against changes.' })),
  EffectiveDate: fields.EffectiveDate,
  PostedDate: fields.PostedDate,
  PaidDate: fields.PaidDate,
  TransactionNumber: fields.TransactionNumber,
  LedgerTemplateItemID: fields.LedgerTemplateItemID,
  MatrixID: f.id({ label: 'Decision table', doc: 'The matrix of its template line.', to: 'Matrix' }),
  ChildLedgerID: fields.ChildLedgerID,
  ReferenceLedgerItemID: fields.ReferenceLedgerItemID,
  PaymentRole: fields.PaymentRole,
  ImportFileID: f.id({
    label: 'Imported by',
    doc: 'The import or call that added it with others: its batch.',
    to: 'ImportFile',
  }),
  IsReversed: required(f.boolean({ label: 'Reversed', doc: 'Whether it is a payment that was reversed.' })),
  Description: fields.Description,
  Version: required(f.integer({ doc: 'Its version.' })),
  Running: required(f.money({ label: 'Running balance', doc: 'Debits minus credits through this line.' })),
  RunningAdjusted: required(
    f.money({ label: 'Running total', doc: 'Debits minus credits of the totaled lines through this line.' }),
  ),
  LineCount: required(f.integer({ label: 'Lines', doc: 'How many lines are selected, on all pages.' })),
  DebitTotal: required(f.money({ label: 'Debits', doc: 'The sum of the debits that are selected, on all pages.' })),
  CreditTotal: required(f.money({ label: 'Credits', doc: 'The sum of the credits that are selected, on all pages.' })),
};

export const operation = defineOperation({
  module: 'ledger',
  name: 'Lines',
  method: 'GET',
  summary:
    'Returns the lines of a ledger in their order, with the running balance and total through each, and with what ' +
    'they take from their template lines. The sums through a line count all lines, whatever is selected.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'LedgerItemSearch',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The ledger.' })),
    Kind: f.choice(lineKinds, {
      doc: 'Only debits, only credits, or only lines of payments, reversals and refunds.',
    }),
    State: f.choice(lineStates, {
      doc:
        'Only lines that count in the adjusted balance, that do not, that the next payment can cover, or that are ' +
        'paid.',
    }),
    Contains: f.text({
      doc: 'Only lines with this text in their name, type, description or transaction number.',
      max: 255,
    }),
    RecordStart: f.integer({ doc: 'How many lines to skip.', default: 0 }),
    DisplaySize: f.integer({ doc: `How many to return, ${SIZE_MAX} at most.`, default: SIZE, max: SIZE_MAX }),
  },
  returns: 'list',
  answerName: 'LedgerLine',
  rows,
  errors: ['NOT_FOUND', 'BAD_PARAMETER'],
  source: 'LED-03, LED-05',
});

export const run = handle(operation, async (ctx, { ID, Kind, State, Contains, RecordStart, DisplaySize }) =>
  list(
    'LedgerLine',
    rows,
    await readLedgerLines(ctx, ID, {
      start: Math.max(0, RecordStart),
      size: Math.max(1, DisplaySize),
      filter: { kind: Kind ?? undefined, state: State ?? undefined, contains: Contains ?? undefined },
    }),
  ),
);
