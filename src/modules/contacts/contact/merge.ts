import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { mergeContacts } from './lib/merge/merge-contacts.ts';

/** Most contacts that one call merges into another: all of it is one transaction. */
const MERGED_MAX = 100;

const rows = {
  Object: required(f.text({ doc: 'The record type.', max: 60, exact: true })),
  Change: required(
    f.choice(['Moved', 'Removed', 'Filled', 'Deleted'], {
      doc:
        'Moved: the records refer to the contact now. Removed: they were deleted, since the contact has their like. ' +
        'Filled: the contact, with values of the merged ones. Deleted: the merged contacts.',
    }),
  ),
  Records: required(f.integer({ doc: 'How many records.' })),
  RecordIDs: required(f.text({ doc: 'Their IDs, comma-separated.' })),
  CallID: required(
    f.text({
      doc: 'The call. Undelete restores what was removed and deleted; Rollback with it what was moved and filled.',
      max: 64,
      exact: true,
    }),
  ),
};

export const operation = defineOperation({
  module: 'contact',
  name: 'Merge',
  method: 'POST',
  summary:
    'Makes several contacts one: everything that refers to the merged contacts refers to the one that stays, which ' +
    'takes the values that it does not have. Then deletes the merged contacts. Changes all of it or nothing.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: ['ID', 'MergedContactID'],
  reach: {
    own: 'It locks the contacts of both parameters by rising ID, so that calls for the same contacts never deadlock.',
  },
  params: {
    ID: required(f.id({ doc: 'The contact that stays.' })),
    MergedContactID: required(
      f.idList({ doc: 'The contacts that are merged into it and deleted.', to: 'Contact', max: MERGED_MAX }),
    ),
    Fields: f.textList({
      doc:
        'Fields in which the value of a merged contact replaces that of the one that stays, comma-separated. Of the ' +
        'others it takes only those that it does not have.',
    }),
  },
  returns: 'list',
  answerName: 'Merge',
  rows,
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES', 'NO_PERMISSION', 'IN_USE', 'TOO_LARGE'],
  source: 'contacts guide, Merge contacts',
});

export const run = handle(operation, async (ctx, { ID, MergedContactID, Fields }) => {
  const changes = await mergeContacts(ctx, ID, MergedContactID, Fields ?? []);
  return list(
    'Merge',
    rows,
    changes.map(({ record, change, ids }) => ({
      Object: record.name,
      Change: change,
      Records: ids.length,
      RecordIDs: ids.join(','),
      CallID: ctx.correlationId,
    })),
  );
});
