import { list } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { caseType } from './lib/case-type.ts';
import { TIME_PERIODS, TOTALS_MAX, timeTotals, withCaseNames } from './lib/time-totals.ts';

const rows = {
  PersonID: f.id({ doc: 'The timekeeper.', to: 'Person' }),
  Person: f.text({ doc: "The timekeeper's name.", max: 100 }),
  Object: f.text({ doc: 'The record type of the case: what the ledger, or the one above it, belongs to.', max: 60 }),
  ObjectID: f.id({ doc: 'The case.' }),
  Case: f.text({ doc: 'The name of the case; empty if you cannot access it.', max: 255 }),
  From: f.date({ label: 'Period', doc: 'The first day of the period.' }),
  Status: f.text({ doc: 'The status of the entries.', max: 100 }),
  Units: f.text({ label: 'Unit', doc: 'The unit that is counted, such as Hour.', max: 100 }),
  Currency: f.text({ doc: 'The currency of the amounts.', max: 3 }),
  Entries: f.integer({ doc: 'Number of entries.' }),
  UnitCount: f.decimal({ label: 'Units', doc: 'Sum of their units.' }),
  AmountMoney: f.money({ label: 'Amount', doc: 'Debits minus credits.' }),
  UnitCountTotaled: f.decimal({ label: 'Units in the total', doc: 'Units of those that count; none if rejected.' }),
  AmountTotaled: f.money({ label: 'Amount in the total', doc: 'Amount of those that count; none if rejected.' }),
};

export const operation = defineOperation({
  module: 'ledgeritem',
  name: 'TimeTotals',
  method: 'GET',
  summary:
    'Totals time entries, the lines with a timekeeper (PersonID), by timekeeper, case, period, status, unit and ' +
    'currency. The day of an entry is when it was posted, else its EffectiveDate, else when it was created.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    From: f.date({ doc: 'The first day. Empty: no limit.' }),
    To: f.date({ doc: 'The last day, included. Empty: no limit.' }),
    Period: f.choice(TIME_PERIODS, { doc: 'The length of the periods. Weeks begin on Monday.', default: 'Month' }),
    PersonID: f.id({ doc: 'Only entries of this timekeeper.', to: 'Person' }),
    Object: f.text({ doc: 'Only entries of cases of this record type.', max: 60 }),
    ObjectID: f.id({ doc: 'Only entries of this case; needs Object.' }),
    Status: f.text({ doc: 'Only entries with this status.', max: 100 }),
  },
  returns: 'list',
  answerName: 'TimeTotal',
  rows,
  errors: ['BAD_PARAMETER'],
  source: 'decisions, Workflow, ledgers, worklists',
});

export const run = handle(operation, async (ctx, { From = null, To = null, ...params }) => {
  const { Period, PersonID = null, ObjectID = null, Status = null } = params;
  if (From !== null && To !== null && From > To) throw bad('To', `a day not before From, ${From}`);
  const object = caseType(ctx, params.Object ?? null, ObjectID);
  const filter = { from: From, to: To, period: Period, personId: PersonID, object, objectId: ObjectID, status: Status };
  const found = await timeTotals(ctx, filter);
  if (found.length > TOTALS_MAX)
    ctx.alert({
      code: 'MORE_ROWS',
      text: `There are more than ${TOTALS_MAX} rows; send shorter limits, or a timekeeper or case.`,
    });
  return list('TimeTotal', rows, await withCaseNames(ctx, found.slice(0, TOTALS_MAX)));
});
