import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const attachmentTemplate = defineRecord({
  name: 'AttachmentTemplate',
  kind: { group: 'words', position: 2, icon: 'document', text: 'Kinds of documents' },
  title: 'Document type',
  doc: 'A document type: the data it is generated from, how it is generated, and where it is stored.',
  reach: 'configuration',
  labelDoc: "The document type's name.",
  labelMax: 100,
  triggers: {
    attachmenttemplate_configuration: 'Notifies every process that templates changed.',
    attachmenttemplate_reach: 'Propagates a change of ExtranetEnabled to existing records.',
  },
  fields: {
    ...templateFields,
    Method: f.staff({ label: 'Data from', doc: 'The method signature that returns its data.', max: 2000, exact: true }),
    AttachmentService: f.text({ label: 'Produced by', doc: 'The name of the document generator.', max: 100 }),
    Options: f.text({
      label: 'Options',
      doc: "The generator's options, as a query string: `Delimiter=;&Header=false`.",
      max: 2000,
      exact: true,
    }),
    FileObjectAssembly: f.text({
      label: 'Storage location',
      names: 'FileObject',
      doc: 'The name of the storage location for new files.',
      max: 100,
    }),
  },
});
