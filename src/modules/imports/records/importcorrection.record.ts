import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const importCorrection = defineRecord({
  name: 'ImportCorrection',
  title: 'Correction of an import row',
  titlePlural: 'Corrections of import rows',
  doc: 'A correction of a failed row of an import, and what came of it. The file that was sent stays as it is.',
  reach: 'one',
  collections: { ImportFileID: 'ImportCorrections' },
  labelDoc: 'What the row is about.',
  finalStatuses: ['Complete', 'Error'],
  fields: {
    ImportFileID: computed(f.id({ label: 'Import', doc: 'The run.', to: 'ImportFile' })),
    OrganizationID: computed(
      f.id({ label: 'Firm', doc: 'The firm that sent the file.', to: 'Organization', grantsReach: true }),
    ),
    SourceLine: computed(f.integer({ label: 'Line', doc: 'Position of the row in the source.' })),
    SourceColumns: computed(
      f.text({ label: 'Corrected columns', doc: 'The corrected columns, comma-separated.', max: 1000 }),
    ),
    Changes: computed(f.secret({ label: 'New values', doc: 'The new values by column, sealed.' })),
    ActorPersonID: computed(f.id({ label: 'Saved as', doc: 'The user as whom the row is saved.', to: 'Person' })),
    Reason: computed(f.text({ label: 'Why it failed', doc: 'Why the row had failed.', max: 10000 })),
    Message: computed(
      f.text({ label: 'Result', doc: 'Why it failed again, or the warnings of a row that was saved.', max: 10000 }),
    ),
    ImportLogID: computed(f.id({ label: 'Import row', doc: 'The import log row of the result.', to: 'ImportLog' })),
    SentImportFileID: computed(
      f.id({
        label: 'Sent again as',
        doc: 'The import as which a part of a document was sent again, with its own results; empty for a row.',
        to: 'ImportFile',
      }),
    ),
  },
});
