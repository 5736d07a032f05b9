import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const follow = defineRecord({
  name: 'Follow',
  doc: 'A user who is notified of meaningful changes of a record.',
  reach: 'none',
  // `follow/add` and `follow/remove` are the only ways: they check that the record can be followed.
  history: false,
  inSummary: false,
  labelDoc: 'Not used.',
  fields: {
    PersonID: required(f.id({ label: 'User', doc: 'Who follows.', to: 'Person' })),
    Object: required(
      f.text({ label: 'Record type', doc: "The record's type, its concrete class.", max: 60, exact: true }),
    ),
    ObjectID: required(f.id({ label: 'Number of the record', doc: 'The record.' })),
  },
});
