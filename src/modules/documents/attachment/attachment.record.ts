import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const attachment = defineRecord({
  name: 'Attachment',
  doc: 'One document on a record.',
  reach: 'one',
  parent: 'Attachments',
  template: 'AttachmentTemplate',
  labelDoc: "The document's name; its file name where none is sent.",
  triggers: {
    attachment_reach: "Keeps the firm that reaches the document: its parent's, as its template allows.",
    attachment_reach_spread: 'Hands a change of its firms on to what hangs below it.',
  },
  fields: {
    FileName: f.personal({ doc: "The file's name, without a path.", max: 255 }),
    Description: f.body({ doc: 'What it is, or its extracted text.' }),
    MimeType: computed(f.text({ doc: 'What kind of file it is, told from its content.', max: 255, exact: true })),
    FileSize: computed(f.integer({ doc: 'Its size in bytes.' })),
    FileHash: computed(f.text({ doc: 'SHA-256 of its content, hexadecimal.', max: 64, exact: true })),
    FileObject: computed(f.text({ doc: 'The storage that it lies in.', max: 100 })),
    FilePath: computed(f.personal({ doc: 'Its path within the storage.', max: 1000, exact: true })),
    Sealed: computed(f.boolean({ doc: 'Whether the stored file is encrypted under the key ring.' })),
    XmlData: f.xml({ doc: 'What is known of its content, as XML.' }),
  },
});
