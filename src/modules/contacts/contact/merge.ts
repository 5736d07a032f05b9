import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { changedRecordsColumns, changedRecordsRow } from '../../../kernel/records/save/changed-records.ts';
import { mergeContacts } from './lib/merge/merge-contacts.ts';

/** Most contacts merged by one call, which is one transaction. */
const MERGED_MAX = 100;

const rows = {
  ...changedRecordsColumns,
  CallID: required(
    f.text({
      doc:
        'The call, for undoing the merge: Undelete restores removed and deleted records; Rollback with this ' +
        'CallID undoes moves and filled values.',
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
    'Merges duplicate contacts into one. Records that refer to a merged contact are changed to refer to ' +
    'the remaining one, which also takes over values that it lacks. Then the merged contacts are deleted. ' +
    'Either everything is changed or nothing.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: ['ID', 'MergedContactID'],
  reach: {
    own:
      'It locks the contacts of both parameters in ascending order of ID, so that calls for the same ' +
      'contacts never deadlock.',
  },
  params: {
    ID: required(f.id({ doc: 'The contact to keep.' })),
    MergedContactID: required(
      f.idList({ doc: 'The contacts to merge into it and delete.', to: 'Contact', max: MERGED_MAX }),
    ),
    Fields: f.textList({
      doc:
        "Fields in which the merged contact's value wins, comma-separated. Other fields are filled only if the " +
        'remaining contact has no value.',
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
    changes.map((changed) => ({ ...changedRecordsRow(changed), CallID: ctx.correlationId })),
  );
});
