import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { scanStates } from '../../../kernel/ports/documents.ts';
import type { Row } from '../../../kernel/door/answer.ts';

export const attachment = defineRecord({
  name: 'Attachment',
  title: 'Document',
  doc: 'A document of a record: a file with its type and description.',
  reach: 'one',
  parent: 'Attachments',
  template: 'AttachmentTemplate',
  templateTitle: 'Document type',
  words: ['Attachment', 'FileName'],
  labelDoc: "The document's name; by default its file name.",
  triggers: {
    attachment_reach: "Visible to its parent's firm, if its template allows it.",
    attachment_sealed_hash: 'Removes the hash of a file that becomes sealed from its history.',
    attachment_first: 'Counts the first content.',
    attachment_replaced: 'Keeps the former content when the file is replaced.',
    attachment_hashes: 'Removes the SHA-1 and MD5 of a file that is replaced or sealed.',
    attachment_scan: 'Notes that it is to be scanned for malware, and removes what shows an infected file.',
    attachment_scan_added: 'Notes that a new document, or a version of a restored one, is to be scanned for malware.',
    attachment_text: 'Notes that its text is to be read, after its content or name has changed.',
    attachment_message_text: 'Marks the words of its message as due for indexing.',
    attachment_message_text_moved: 'Marks the words of its messages as due after its name has changed, or its message.',
    attachment_message_text_removed: 'Marks the words of its messages as due for indexing.',
    attachment_text_reach: 'Makes the pages of its text visible to its firm.',
    attachment_reach_deliveries: 'Makes the letters that carry it visible to its firm.',
    attachment_reach_spread: 'Propagates a change of its firms to the records below it.',
  },
  fields: {
    FileName: f.personal({ doc: 'The file name, without a path.', max: 255 }),
    Description: f.body({ doc: 'A description of the document, or its extracted text.' }),
    MimeType: computed(
      f.text({ label: 'Media type', doc: 'The media type, detected from the content.', max: 255, exact: true }),
    ),
    FileVersion: computed(
      f.integer({ label: 'Version of the file', doc: 'How many contents the document has had, this one included.' }),
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
    FileSha1: computed(
      f.text({ label: 'SHA-1', doc: 'SHA-1 of the content, if it was calculated.', max: 40, exact: true }),
    ),
    FileMd5: computed(f.text({ label: 'MD5', doc: 'MD5 of the content, if it was calculated.', max: 32, exact: true })),
    FileObject: computed(f.text({ label: 'Storage location', doc: 'The storage location of the file.', max: 100 })),
    FilePath: computed(
      f.personal({ label: 'Stored at', doc: 'The path within the storage location.', max: 1000, exact: true }),
    ),
    Sealed: computed(
      f.boolean({ label: 'Encrypted', doc: 'Whether the stored file is encrypted under the key ring.' }),
    ),
    ScanState: computed(
      f.choice(scanStates, {
        label: 'Malware scan',
        doc:
          'Waiting: the file is to be scanned. Infected: malware was found. TooLarge: larger than the scanner ' +
          'accepts. Failed: the scan gave no verdict. Only Clean and Released files are served, and those without ' +
          'a state, which were stored while no scanner was set up.',
        valueLabels: { TooLarge: 'Too large to scan' },
      }),
    ),
    ScanDate: computed(f.timestamp({ label: 'Scanned', doc: 'When the file was scanned, or released.' })),
    ScanResult: computed(
      f.text({ label: 'Scan result', doc: 'The signature that was found, or why there is no verdict.', max: 300 }),
    ),
    XmlData: f.xml({ label: 'Form answers', doc: 'Metadata of the content, as XML.' }),
  },
});

/** A stored document. */
export type StoredDocument = Row<typeof attachment>;
