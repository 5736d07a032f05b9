import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const importFileTemplate = defineRecord({
  name: 'ImportFileTemplate',
  kind: { group: 'exchange', position: 1, icon: 'import', text: 'Files that are imported, and their columns' },
  title: 'Import type',
  doc: 'An import type: how files of one kind are read, mapped and imported.',
  reach: 'configuration',
  labelDoc: 'Name by which files are sent to it.',
  labelMax: 100,
  triggers: { importfiletemplate_configuration: 'Notifies every process that import types changed.' },
  fields: {
    ...templateFields,
    // Unlike other templates this one decides who may send files, so firms are excluded by default.
    ExtranetEnabled: f.choice(['No', 'Parent', 'Self'], {
      label: 'Firms use it',
      valueLabels: { No: 'Never', Parent: 'Yes', Self: 'Yes, for what is theirs' },
      doc:
        'No: firms neither see the import type nor send files to it. Parent or Self: they may; each row is ' +
        'saved with their own permissions.',
      default: 'No',
    }),
    ImportEngine: f.text({
      label: 'Reader',
      doc: 'Engine that reads the file, by its registered name.',
      max: 100,
      valueLabels: {
        DelimitedEngine: 'Delimited text, such as CSV',
        FixedWidthEngine: 'Fixed-width text',
        XmlEngine: 'XML',
        JsonEngine: 'JSON',
        ReferralEngine: 'Referrals',
        LegacyEventsEngine: 'Event files',
        BatchReader: 'Rows of a batch, each checked alone',
        BulkReader: 'Large files, loaded into a table',
        BulkMerge: 'Large files, merged at once',
      },
    }),
    Async: f.boolean({
      label: 'In the background',
      doc: 'Whether files are queued instead of imported while the sender waits.',
      default: false,
    }),
    Queue: f.text({ doc: 'Queue of asynchronous imports.', max: 100 }),
    FailureThreshold: f.text({
      label: 'Fails from',
      doc: 'More failed rows than this count, or percentage with %, stop the run.',
      max: 20,
    }),
    SuccessThreshold: f.text({
      label: 'Succeeds from',
      doc: 'Fewer saved rows than this count, or percentage with %, fail the run.',
      max: 20,
    }),
    ValidateStatement: f.staff({
      label: 'Statement that checks',
      doc: 'Statement that checks a file before it is queued.',
      max: 1000,
      exact: true,
    }),
    ImportStatement: f.staff({
      label: 'Statement that saves',
      doc: 'Statement that runs after a bulk load, or selects the rows of a batch.',
      max: 50000,
      exact: true,
    }),
    ResultMethod: f.staff({
      label: 'Called for each row',
      doc: 'Method signature that returns the results.',
      max: 2000,
      exact: true,
    }),
    ImportOperationsAllowed: f.integer({
      label: 'Operations allowed',
      doc: 'What rows may do, as flags: Insert 1, Update 2, Both 3, Invoke another operation 4, All 7, None 0.',
      default: 3,
    }),
    ValidateSchema: f.boolean({
      label: 'Check against the schema',
      doc: 'Whether a document is validated as a whole before any of it is imported.',
      default: true,
    }),
    Schema: f.text({
      label: 'XML schema',
      doc: 'XML Schema that a document must conform to.',
      max: 500000,
      exact: true,
    }),
    EndImportMethod: f.staff({
      label: 'Called at the end',
      doc:
        'Method signature that is called once when a file is complete, for instance to start a workflow. ' +
        '{ImportFileID}, {Object} and {ObjectID} are replaced with the file and the record it is attached to.',
      max: 2000,
      exact: true,
    }),
    OnCompleteStatus: f.text({
      label: 'Status when complete',
      doc: 'Status of an imported file; Complete if empty.',
      max: 100,
    }),
    DecisionTemplateID: f.id({
      label: 'Workflow template',
      doc: 'The workflow that starts on each new record or, if it is for ImportFile records, on each complete file.',
      to: 'DecisionTemplate',
    }),
    ParameterString: f.staff({
      label: 'Parameters',
      doc: 'Parameters of the engine, as a query string.',
      max: 10000,
      exact: true,
    }),
  },
});
