import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const collectionTemplate = defineRecord({
  name: 'CollectionTemplate',
  kind: { group: 'data', position: 4, icon: 'team', text: 'Kinds of groups' },
  title: 'Group template',
  doc: 'A kind of collection, such as team, label or mailing list, and the record type of its members.',
  reach: 'configuration',
  labelDoc: 'The name of the kind, such as Team.',
  labelMax: 100,
  triggers: { collectiontemplate_configuration: 'Notifies every process that templates changed.' },
  fields: { ...templateFields },
});
