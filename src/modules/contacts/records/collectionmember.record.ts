import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const collectionMember = defineRecord({
  name: 'CollectionMember',
  doc: 'A record in a collection, from one day to another.',
  reach: 'one',
  collections: { CollectionID: 'Members' },
  childKey: 'SourceObjectID',
  labelDoc: "The member's name where it is to be called otherwise than its record.",
  triggers: { collectionmember_reach: "Keeps the firm that reaches the member: its collection's." },
  fields: {
    CollectionID: required(f.id({ doc: 'The collection.', to: 'Collection' })),
    SourceObjectID: required(f.id({ doc: "The record that is a member, of the collection's SourceObject." })),
    EffectiveDate: f.date({ doc: 'The first day on which it counts; from ever where it is empty.' }),
    ExpiresDate: f.date({ doc: 'The last day on which it counts; for ever where it is empty.' }),
    Priority: f.integer({ doc: 'Which of the members comes first: the lower number; those without one last.' }),
  },
});
