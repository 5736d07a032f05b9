import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import type { Row } from '../../../kernel/door/answer.ts';

export const attachment = defineRecord({
  name: 'Attachment',
  title: 'Document',
  doc: 'A document of a record: a file with its type and description.',
  reach: 'one',
  parent: 'Attachments',
  template: 'AttachmentTemplate',
  templateTitle: 'Document type',
  labelDoc: "The document's name; by default its file name.",
  triggers: {
    attachment_reach: "Visible to its parent's firm, if its template allows it.",
    attachment_sealed_hash: 'Removes the hash of a file that becomes sealed from its history.',
    attachment_reach_spread: 'Propagates a change of its firms to the records below it.',
  },
  fields: {
    FileName: f.personal({ doc: 'The file name, without a path.', max: 255 }),
    Description: f.body({ doc: 'A description of the document, or its extracted text.' }),
    MimeType: computed(
      f.text({ label: 'Media type', doc: 'The media type, detected from the content.', max: 255, exact: true }),
    ),
    FileSize: computed(f.integer({ label: 'Size in bytes', doc: 'The size in bytes.' })),
    FileHash: computed(
      f.text({
        label: 'SHA-256',
        doc: 'SHA-256 of the content, hexadecimal; empty if the file is sealed.',
        max: 64,
        exact: true,
      }),
    ),
    FileObject: computed(f.text({ label: 'Storage location', doc: 'The storage location of the file.', max: 100 })),
    FilePath: computed(
      f.personal({ label: 'Stored at', doc: 'The path within the storage location.', max: 1000, exact: true }),
    ),
    Sealed: computed(
      f.boolean({ label: 'Encrypted', doc: 'Whether the stored file is encrypted under the key ring.' }),
    ),
    XmlData: f.xml({ label: 'Form answers', doc: 'Metadata of the content, as XML.' }),
  },
});

/** A stored document. */
export type StoredDocument = Row<typeof attachment>;
