import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const importFileTemplate = defineRecord({
  name: 'ImportFileTemplate',
  doc: 'A kind of import: engine, mappings, queue and thresholds.',
  reach: 'configuration',
  labelDoc: 'The name by which files are sent to it.',
  labelMax: 100,
  triggers: { importfiletemplate_configuration: 'Tells every process that templates changed.' },
  fields: {
    ...templateFields,
    // Unlike other templates this one says who may send, so nobody outside may unless somebody has said so.
    ExtranetEnabled: f.choice(['No', 'Parent', 'Self'], {
      doc: 'No: firms neither see the template nor send to it. Parent or Self: they may, each row with their own permissions.',
      default: 'No',
    }),
    ImportEngine: f.text({ doc: 'The engine that reads the file, by its registered name.', max: 100 }),
    Async: f.boolean({ doc: 'Whether files are queued rather than imported while the sender waits.', default: false }),
    Queue: f.text({ doc: 'The queue of asynchronous imports.', max: 100 }),
    FailureThreshold: f.text({ doc: 'More failed rows than this count, or share with %, stop the run.', max: 20 }),
    SuccessThreshold: f.text({ doc: 'Fewer saved rows than this count, or share with %, fail the run.', max: 20 }),
    ValidateStatement: f.text({ doc: 'The statement that checks a file before it is queued.', max: 1000, exact: true }),
    ImportStatement: f.text({
      doc: 'The statement that runs after a bulk load, or selects what a batch works on.',
      max: 50000,
      exact: true,
    }),
    ResultMethod: f.text({ doc: 'The method signature that answers the results.', max: 2000, exact: true }),
    ImportOperationsAllowed: f.integer({
      doc: 'What rows may do, as flags: Insert 1, Update 2, Both 3, Invoke another operation 4, All 7, None 0.',
      default: 3,
    }),
    ValidateSchema: f.boolean({
      doc: 'Whether a document is checked as a whole before anything of it is imported.',
      default: true,
    }),
    Schema: f.text({ doc: 'The XML Schema that a document must follow.', max: 500000, exact: true }),
    EndImportMethod: f.text({
      doc: 'The method signature that is called once when a file is complete, such as one that starts a workflow; {ImportFileID}, {Object} and {ObjectID} stand for the file and what it is bound to.',
      max: 2000,
      exact: true,
    }),
    OnCompleteStatus: f.text({ doc: 'The status of a file that was imported; Complete where it is empty.', max: 100 }),
    DecisionTemplateID: f.id({
      doc: 'Of a referral template: the workflow that starts on a case that is new.',
      to: 'DecisionTemplate',
    }),
    ParameterString: f.text({ doc: 'Parameters of the engine, written as a query string.', max: 10000, exact: true }),
  },
});
