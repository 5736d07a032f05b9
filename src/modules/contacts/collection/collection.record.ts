import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const collection = defineRecord({
  name: 'Collection',
  title: 'Group',
  doc: 'A named group of records of one type: a team of users, a list of recipients, a label.',
  reach: 'one',
  template: 'CollectionTemplate',
  templateTitle: 'Group template',
  labelDoc: "The collection's name, unique per record type.",
  labelMax: 100,
  triggers: { collection_reach: 'Maintains the firm that can see the collection: that of its creator.' },
  fields: {
    SourceObject: required(
      f.text({
        label: 'Group of',
        doc: "The record type of the members. Empty: its template's.",
        max: 60,
        exact: true,
      }),
    ),
  },
});
