import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import type { Values } from '../../../kernel/declare/values.ts';
import { concreteTypeOf } from '../../../kernel/records/save/concrete-type.ts';
import { updateRow } from '../../../kernel/records/save/update-row.ts';
import { countMilitaryChecks } from './lib/scra/count-checks.ts';
import { queueMilitaryCheck } from './lib/scra/check-military-status.ts';
import type { contact } from './contact.record.ts';

/** Most contacts of one call: all become Pending in one transaction. */
const CONTACTS_MAX = 1_000;

const rows = {
  ContactID: required(f.id({ doc: 'The contact.' })),
  SCRAStatus: required(f.text({ doc: 'Pending: the check is queued.', max: 60 })),
};

export const operation = defineOperation({
  module: 'contact',
  name: 'SCRASearch',
  method: 'GET',
  summary:
    'Starts a military status check of each contact: its SCRAStatus becomes Pending at once, and the result ' +
    'is saved when the source has answered.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The contacts.', max: CONTACTS_MAX })) },
  returns: 'list',
  answerName: 'Contact',
  rows,
  errors: ['NOT_FOUND', 'TOO_LARGE', 'TOO_MANY'],
  source: '1-core §4',
});

const pending: Values<typeof contact> = { SCRAStatus: 'Pending', SCRAMessage: null };

export const run = handle(operation, async (ctx, { ID }) => {
  await countMilitaryChecks(ctx, ID.length);
  // In id order, so that two calls for the same contacts wait for each other instead of deadlocking.
  for (const id of [...ID].sort((a, b) => a - b)) {
    await updateRow(ctx, await concreteTypeOf(ctx, ctx.record, id), id, pending);
    await queueMilitaryCheck(ctx, id, 1);
  }
  return list(
    'Contact',
    rows,
    ID.map((ContactID) => ({ ContactID, SCRAStatus: 'Pending' })),
  );
});
