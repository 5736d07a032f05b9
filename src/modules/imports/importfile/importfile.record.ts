import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const importFile = defineRecord({
  name: 'ImportFile',
  doc: 'One run of an import: what was sent and what came of it.',
  reach: 'one',
  template: 'ImportFileTemplate',
  parent: 'ImportFiles',
  labelDoc: 'The name of the submission.',
  finalStatuses: ['Complete', 'Error', 'Validation Error', 'Canceled'],
  triggers: { importfile_logged: 'Keeps a file that has a log from being deleted.' },
  sqlFilters: {
    Listed: {
      doc: 'Files that lists show: all but those of events in which there was no event.',
      condition: 'importfile.unlisted is not true',
    },
    Failed: {
      doc: 'Files that failed as a whole or have rows that failed.',
      condition: "(importfile.errorcount > 0 or importfile.status in ('Error', 'Validation Error'))",
    },
  },
  fields: {
    PreTransformID: f.id({ doc: 'The source document.', to: 'Attachment' }),
    OrganizationID: computed(f.id({ doc: 'The firm that sent it.', to: 'Organization', grantsReach: true })),
    Reference: f.text({ doc: "The sender's job or batch number.", max: 50 }),
    ExternalReference: f.text({ doc: 'The number of the run at a service outside.', max: 255 }),
    SuccessCount: computed(f.integer({ doc: 'Records saved.' })),
    ErrorCount: computed(f.integer({ doc: 'Records that failed.' })),
    Warnings: computed(f.integer({ doc: 'Records saved with a warning.' })),
    ImportStart: computed(f.timestamp({ doc: 'When the run began.' })),
    ImportComplete: computed(f.timestamp({ doc: 'When it ended.' })),
    Message: computed(f.text({ doc: 'What failed as a whole, such as a violation of the schema.', max: 10000 })),
    Unlisted: computed(f.boolean({ doc: 'Whether lists leave it out: a file of events without an event.' })),
  },
});
