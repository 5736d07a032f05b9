import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const attachmentTemplate = defineRecord({
  name: 'AttachmentTemplate',
  doc: 'A kind of document: where its data comes from, what generates it, where it is stored.',
  reach: 'configuration',
  labelDoc: "The kind's name.",
  labelMax: 100,
  triggers: {
    attachmenttemplate_configuration: 'Tells every process that templates changed.',
    attachmenttemplate_reach: 'Hands a change of ExtranetEnabled on to the instances that there are.',
  },
  fields: {
    ...templateFields,
    Method: f.text({ doc: 'The method signature that answers its data.', max: 2000, exact: true }),
    AttachmentService: f.text({ doc: 'The generator, by its registered name.', max: 100 }),
    FileObjectAssembly: f.text({ doc: 'The storage that new files go to, by its registered name.', max: 100 }),
  },
});
