import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const collectionTemplate = defineRecord({
  name: 'CollectionTemplate',
  doc: 'A kind of collection, such as team, label or mailing list. AppliesTo is the record type of the members.',
  reach: 'configuration',
  labelDoc: "The kind's name.",
  labelMax: 100,
  triggers: { collectiontemplate_configuration: 'Notifies every process that templates changed.' },
  fields: { ...templateFields },
});
