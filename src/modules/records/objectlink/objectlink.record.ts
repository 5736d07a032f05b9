import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const objectLink = defineRecord({
  name: 'ObjectLink',
  doc: 'Joins two records of any types. ObjectLinkType names the set that the link belongs to.',
  reach: 'many',
  triggers: { objectlink_reach: 'Maintains the firms that can see the link: those that can see both of its records.' },
  fields: {
    PrimaryObject: required(f.text({ doc: 'The concrete record type of the first record.', max: 60, exact: true })),
    PrimaryObjectID: required(f.id({ doc: "The first record's id." })),
    LinkedObject: required(f.text({ doc: 'The concrete record type of the linked record.', max: 60, exact: true })),
    LinkedObjectID: required(f.id({ doc: 'The id of the linked record.' })),
  },
});
