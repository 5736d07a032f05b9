import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { holdingKinds } from './lib/holding.ts';
import { queuedHoldings } from './lib/queued-holdings.ts';
import { storedHoldings } from './lib/stored-holdings.ts';

const rows = {
  Kind: required(f.choice(holdingKinds, { doc: 'What it is.' })),
  Object: f.text({ doc: 'The record type of ObjectID.' }),
  ObjectID: f.id({ doc: 'The record: a key, a view, or the queue or task type that the user has something of.' }),
  Name: f.text({ doc: 'Its name; of a queued call the operation.' }),
  Detail: f.text({ doc: 'Of a view the team, of a recurring call its times, of a session the browser.' }),
  HeldCount: required(f.integer({ doc: 'How many there are.' })),
  LastUsed: f.timestamp({ doc: 'Of a key and a session: when it was last used.' }),
};

export const operation = defineOperation({
  module: 'handover',
  name: 'Holdings',
  method: 'GET',
  summary:
    'Lists what a user holds: open work items by queue, open tasks by type, open cases, views, follows, API keys, ' +
    'sFTP accounts, sessions, running imports, and queued and recurring calls, of which it counts up to 1,000 in ' +
    'each state. Omits kinds that the caller may not search.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'PersonSave',
  names: 'PersonID',
  params: { PersonID: required(f.id({ doc: 'The user.', to: 'Person' })) },
  returns: 'list',
  answerName: 'Holding',
  rows,
  errors: ['NOT_FOUND', 'NO_PERMISSION'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { PersonID }) => {
  // Users of firms see no records of this module, so the door has refused theirs.
  const stored = await storedHoldings(ctx, PersonID);
  return list('Holding', rows, [...stored, ...(await queuedHoldings(ctx, PersonID))]);
});
