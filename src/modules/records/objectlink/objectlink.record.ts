import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const objectLink = defineRecord({
  name: 'ObjectLink',
  title: 'Link',
  doc: 'A link between two records of any types. Its ObjectLinkType says what kind of link it is.',
  reach: 'many',
  triggers: {
    objectlink_reach: 'Maintains the firms that can see the link: those that can see both of its records.',
    objectlink_message_text: 'Marks the words of a message with another document as due for indexing.',
    objectlink_message_text_removed: 'Marks the words of a message with one document less as due for indexing.',
  },
  fields: {
    PrimaryObject: required(
      f.text({ label: 'From', doc: 'The concrete record type of the first record.', max: 60, exact: true }),
    ),
    PrimaryObjectID: required(f.id({ label: 'From, record number', doc: "The first record's id." })),
    LinkedObject: required(
      f.text({ label: 'To', doc: 'The concrete record type of the linked record.', max: 60, exact: true }),
    ),
    LinkedObjectID: required(f.id({ label: 'To, record number', doc: 'The id of the linked record.' })),
  },
});
