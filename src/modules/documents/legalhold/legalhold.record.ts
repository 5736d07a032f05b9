import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const legalHold = defineRecord({
  name: 'LegalHold',
  doc: 'A legal hold: why a document, or all documents of a case, must not be deleted. Rows stay after the release.',
  // Firms see a hold where it refuses what they do.
  reach: 'none',
  // A row is its own history: it says who placed the hold and who released it, each with time and reason, and the
  // trigger keeps it from being changed otherwise. The security log has both events, too.
  history: false,
  triggers: {
    legalhold_kept: 'Refuses every change of a hold but its one release, and its deletion.',
  },
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
    ReleaseReason: f.body({ label: 'Reason for the release', doc: 'Why it was released.' }),
  },
});
