import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const importFileQueue = defineRecord({
  name: 'ImportFileQueue',
  doc: 'One row of a batch: a call that is made on its own, and what came of it.',
  reach: 'one',
  history: false,
  collections: { ImportFileID: 'ImportFileQueues' },
  labelDoc: 'What the row is about; Unknown where the batch does not say.',
  finalStatuses: ['Complete', 'Error'],
  fields: {
    ImportFileID: f.id({ doc: 'The batch.', to: 'ImportFile' }),
    OrganizationID: f.id({ doc: 'The firm that sent it.', to: 'Organization', grantsReach: true }),
    ClassName: f.text({ doc: 'The module whose operation is called.', max: 60 }),
    Operation: f.text({ doc: 'The operation, as a route has it behind the module.', max: 200 }),
    ParameterXml: f.secret({
      doc: 'The parameters of the call, sealed. Importfilequeue/select shows them, numbers of people masked.',
    }),
    Queue: f.text({ doc: 'The queue through which it goes.', max: 100 }),
    QueuedDate: f.timestamp({ doc: 'When it was queued last.' }),
    SuccessDate: f.timestamp({ doc: 'When it was carried out.' }),
    FailureDate: f.timestamp({ doc: 'When it failed last; empty once it is queued again.' }),
    ExecuteCount: f.integer({ doc: 'How often it was run.' }),
    Message: f.text({ doc: 'Why it failed.', max: 10000 }),
    Result: f.id({ doc: 'The id of the record that the call made or changed.' }),
    SourceLine: f.integer({ doc: 'Where the row stands in the source.' }),
    LeasedUntil: f.timestamp({
      doc: 'Of a running call that commits by itself: until when its outcome is waited for.',
    }),
    ImportLogID: f.id({ doc: 'The row of the import log that tells its outcome.' }),
  },
});
