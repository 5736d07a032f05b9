import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const importFileQueue = defineRecord({
  name: 'ImportFileQueue',
  title: 'Batch call',
  doc: 'One row of a batch import, processed separately, with its result.',
  reach: 'one',
  history: false,
  collections: { ImportFileID: 'ImportFileQueues' },
  labelDoc: 'What the row is about; Unknown if the batch does not name it.',
  finalStatuses: ['Complete', 'Error'],
  fields: {
    ImportFileID: f.id({ label: 'Import', doc: 'The batch.', to: 'ImportFile' }),
    OrganizationID: f.id({ label: 'Firm', doc: 'The firm that sent it.', to: 'Organization', grantsReach: true }),
    ClassName: f.text({ label: 'Record type', doc: 'Module whose operation is called.', max: 60 }),
    Operation: f.text({ doc: 'The operation, as in a route after the module.', max: 200 }),
    ParameterXml: f.secret({
      label: 'Parameters',
      doc: 'The parameters of the call, sealed. Importfilequeue/select shows them with personal numbers masked.',
    }),
    Queue: f.text({ doc: 'Queue of the row.', max: 100 }),
    QueuedDate: f.timestamp({ label: 'Queued', doc: 'When it was last queued.' }),
    SuccessDate: f.timestamp({ label: 'Done', doc: 'When it succeeded.' }),
    FailureDate: f.timestamp({ label: 'Failed', doc: 'When it last failed; empty once it is queued again.' }),
    ExecuteCount: f.integer({ label: 'Attempts', doc: 'How often it has run.' }),
    Message: f.text({ doc: 'Why it failed.', max: 10000 }),
    Result: f.id({ label: 'Record created', doc: 'ID of the record that the call created or changed.' }),
    SourceLine: f.integer({ label: 'Line', doc: 'Position of the row in the source.' }),
    LeasedUntil: f.timestamp({
      label: 'Reserved until',
      doc: 'For a running call that commits by itself: until when its outcome is awaited.',
    }),
    ImportLogID: f.id({ label: 'Import row', doc: 'The import log row with its outcome.' }),
    CallID: f.text({
      label: 'Call in the history',
      doc: 'What the history of records names as the call that carried it out.',
      max: 64,
      exact: true,
    }),
  },
});
