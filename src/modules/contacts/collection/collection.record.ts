import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const collection = defineRecord({
  name: 'Collection',
  doc: 'A named group of records of one type: a team of users, a list of recipients, a label.',
  reach: 'one',
  template: 'CollectionTemplate',
  labelDoc: "The collection's name; no two of one record type share one.",
  labelMax: 100,
  triggers: { collection_reach: 'Keeps the firm that reaches the collection: that of who made it.' },
  fields: {
    SourceObject: required(
      f.text({ doc: "The record type of the members; its template's where none is sent.", max: 60, exact: true }),
    ),
  },
});
