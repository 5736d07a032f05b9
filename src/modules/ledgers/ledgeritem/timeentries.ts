import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { ledgerItem } from './ledgeritem.record.ts';
import { caseType } from './lib/case-type.ts';
import { timeEntries } from './lib/time-entries.ts';

/** Entries of a page, if the caller does not say how many, and most of them. */
const SIZE = 200;
const SIZE_MAX = 1_000;

const { fields } = ledgerItem;

const rows = {
  LedgerItemID: required(f.id({ doc: 'The entry.', to: 'LedgerItem' })),
  LedgerItem: f.text({ label: 'Entry', doc: 'What was done.' }),
  LedgerID: required(f.id({ doc: 'Its ledger.', to: 'Ledger' })),
  PersonID: required(f.id({ doc: 'The timekeeper.', to: 'Person' })),
  Day: required(f.date({ doc: 'When it was posted, else its EffectiveDate, else when it was created.' })),
  Object: f.text({ doc: 'The record type of the case: what the ledger, or the one above it, belongs to.', max: 60 }),
  ObjectID: f.id({ doc: 'The case.' }),
  Units: fields.Units,
  UnitCount: fields.UnitCount,
  AmountMoney: fields.AmountMoney,
  Currency: f.text({ doc: 'The currency of the amount.', max: 3 }),
  Status: f.text({ doc: 'Its status; empty while it waits for review.' }),
  ReviewPersonID: fields.ReviewPersonID,
  ReviewReason: fields.ReviewReason,
  EntryCount: required(f.integer({ label: 'Entries', doc: 'How many entries match.' })),
};

export const operation = defineOperation({
  module: 'ledgeritem',
  name: 'TimeEntries',
  method: 'GET',
  summary:
    'Returns time entries, the lines with a timekeeper (PersonID), with their days and cases. The day of an entry is ' +
    'when it was posted, else its EffectiveDate, else when it was created, as in TimeTotals.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'LedgerItemSearch',
  params: {
    From: f.date({ doc: 'The first day. Empty: no limit.' }),
    To: f.date({ doc: 'The last day, included. Empty: no limit.' }),
    PersonID: f.id({ doc: 'Only entries of this timekeeper.', to: 'Person' }),
    Object: f.text({ doc: 'Only entries of cases of this record type.', max: 60 }),
    ObjectID: f.id({ doc: 'Only entries of this case; needs Object.' }),
    Status: f.text({ doc: 'Only entries with this status; null: only those that wait for review.', max: 100 }),
    NewestFirst: f.boolean({ doc: 'Whether the newest come first.', default: false }),
    RecordStart: f.integer({ doc: 'How many entries to skip.', default: 0 }),
    DisplaySize: f.integer({ doc: `How many to return, ${SIZE_MAX} at most.`, default: SIZE, max: SIZE_MAX }),
  },
  returns: 'list',
  answerName: 'TimeEntry',
  rows,
  errors: ['BAD_PARAMETER'],
  source: 'decisions, Workflow, ledgers, worklists',
});

export const run = handle(operation, async (ctx, { From = null, To = null, ...params }) => {
  const { PersonID = null, ObjectID = null, Status = null, NewestFirst, RecordStart, DisplaySize } = params;
  if (From !== null && To !== null && From > To) throw bad('To', `a day not before From, ${From}`);
  const isOpen = Status?.toLowerCase() === 'null';
  const found = await timeEntries(ctx, {
    from: From,
    to: To,
    personId: PersonID,
    object: caseType(ctx, params.Object ?? null, ObjectID),
    objectId: ObjectID,
    status: isOpen ? null : Status,
    isOpen,
    newestFirst: NewestFirst,
    start: Math.max(0, RecordStart),
    size: Math.max(1, DisplaySize),
  });
  return list('TimeEntry', rows, found);
});
