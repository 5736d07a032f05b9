import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const legalHold = defineRecord({
  name: 'LegalHold',
  doc: 'A legal hold: why a document, or all documents of a case, must not be deleted. Rows stay after the release.',
  // Firms see a hold where it refuses what they do.
  reach: 'none',
  // `attachment/hold` and `attachment/releasehold` are the only ways, and neither deletes a row.
  history: false,
  inSummary: false,
  labelDoc: 'Not used.',
  fields: {
    Object: required(
      f.text({ label: 'Record type', doc: 'Attachment, or the class of the case.', max: 60, exact: true }),
    ),
    ObjectID: required(f.id({ label: 'Number of the record', doc: 'The document or case.' })),
    Reason: required(f.body({ doc: 'Why it must be kept.' })),
    ReleasedDate: f.timestamp({ label: 'Released', doc: 'When it was released; empty while it holds.' }),
    ReleasedPersonID: f.id({ label: 'Released by', doc: 'Who released it.', to: 'Person' }),
    ReleaseReason: f.body({ label: 'Reason of the release', doc: 'Why it was released.' }),
  },
});
