import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const objectLink = defineRecord({
  name: 'ObjectLink',
  doc: 'Joins two records of any types. ObjectLinkType names the set that the link belongs to.',
  reach: 'many',
  triggers: { objectlink_reach: 'Keeps the firms that reach the link: those that reach both of its records.' },
  fields: {
    PrimaryObject: required(
      f.text({ doc: 'The record type of the first record, its concrete class.', max: 60, exact: true }),
    ),
    PrimaryObjectID: required(f.id({ doc: "The first record's id." })),
    LinkedObject: required(
      f.text({ doc: 'The record type of the record that it is linked to, its concrete class.', max: 60, exact: true }),
    ),
    LinkedObjectID: required(f.id({ doc: 'The id of the record that it is linked to.' })),
  },
});
