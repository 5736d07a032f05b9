import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const importFile = defineRecord({
  name: 'ImportFile',
  title: 'Import',
  doc: 'An import: the file that was sent, and the results.',
  reach: 'one',
  template: 'ImportFileTemplate',
  templateTitle: 'Import type',
  parent: 'ImportFiles',
  labelDoc: 'Name of the submission.',
  finalStatuses: ['Complete', 'Error', 'Validation Error', 'Canceled'],
  triggers: { importfile_logged: 'Refuses to delete a file that has a log.' },
  sqlFilters: {
    Listed: {
      doc: 'Files shown in lists: all except event files without any event.',
      condition: 'importfile.unlisted is not true',
    },
    Failed: {
      doc: 'Files that failed as a whole or have failed rows.',
      condition: "(importfile.errorcount > 0 or importfile.status in ('Error', 'Validation Error'))",
    },
    Waiting: {
      doc: 'Of the files that failed, those whose failed parts have not all been sent again with corrections.',
      condition:
        "(importfile.errorcount > 0 or importfile.status in ('Error', 'Validation Error')) and " +
        'importfile.resentdate is null',
    },
  },
  fields: {
    PreTransformID: f.id({ label: 'Source file', doc: 'The source document.', to: 'Attachment' }),
    OrganizationID: computed(
      f.id({ label: 'Firm', doc: 'The firm that sent it.', to: 'Organization', grantsReach: true }),
    ),
    Reference: f.text({ doc: "The sender's job or batch number.", max: 50 }),
    ExternalReference: f.text({ doc: 'Number of the run at an external service.', max: 255 }),
    SuccessCount: computed(f.integer({ label: 'Saved rows', doc: 'Records saved.' })),
    ErrorCount: computed(f.integer({ label: 'Failed rows', doc: 'Records that failed.' })),
    Warnings: computed(f.integer({ doc: 'Records saved with a warning.' })),
    ImportStart: computed(f.timestamp({ label: 'Started', doc: 'When the run started.' })),
    ImportComplete: computed(f.timestamp({ label: 'Finished', doc: 'When it ended.' })),
    Message: computed(f.text({ doc: 'Why the file failed as a whole, such as a schema violation.', max: 10000 })),
    CorrectsID: computed(
      f.id({
        label: 'Corrects import',
        doc: 'The import whose failed parts this one sends again, corrected.',
        to: 'ImportFile',
      }),
    ),
    ResentDate: computed(
      f.timestamp({ label: 'Sent again', doc: 'When the last of its failed parts was sent again, corrected.' }),
    ),
    SftpAccountID: computed(
      f.id({ label: 'sFTP account', doc: 'The account by which it was sent by sFTP.', to: 'SftpAccount' }),
    ),
    Unlisted: computed(
      f.boolean({ label: 'Hidden from lists', doc: 'Whether lists omit it: an event file without any event.' }),
    ),
  },
});
