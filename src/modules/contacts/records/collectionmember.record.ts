import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const collectionMember = defineRecord({
  name: 'CollectionMember',
  title: 'Group member',
  doc: 'A record in a collection, such as a user in a team, and the days for which it belongs there.',
  reach: 'one',
  collections: { CollectionID: 'Members' },
  childKey: 'SourceObjectID',
  labelDoc: "The member's name, if it differs from its record's.",
  triggers: { collectionmember_reach: "Maintains the firm that can see the member: its collection's." },
  fields: {
    CollectionID: required(f.id({ label: 'Group', doc: 'The collection.', to: 'Collection' })),
    SourceObjectID: required(
      f.id({ label: 'Member', doc: "The record that is a member, of the collection's SourceObject." }),
    ),
    EffectiveDate: f.date({ label: 'From', doc: 'The first day on which the member counts. Empty: no start.' }),
    ExpiresDate: f.date({ label: 'Until', doc: 'The last day on which the member counts. Empty: no end.' }),
    Priority: f.integer({ doc: 'The order of members, lowest number first; empty ones last.' }),
  },
});
