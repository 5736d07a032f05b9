import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const decisionStepTemplate = defineRecord({
  name: 'DecisionStepTemplate',
  doc: 'A step of a kind of workflow: a template of which an instance is made, or an operation that is called, or a question to a stylesheet.',
  reach: 'configuration',
  collections: { DecisionTemplateID: 'Steps' },
  childKey: 'DecisionStepTemplate',
  labelDoc: "The step's name, by which dependencies name it; no two steps of a workflow share one.",
  labelMax: 100,
  triggers: {
    decisionsteptemplate_configuration: 'Tells every process that templates changed.',
    decisionsteptemplate_unsubscribe: 'Takes away the outside identifiers of steps that go, also with their workflow.',
  },
  fields: {
    DecisionTemplateID: required(f.id({ doc: 'The workflow.', to: 'DecisionTemplate' })),
    Sequence: f.integer({ doc: 'Where it stands among the steps when they are listed; it decides nothing.' }),
    Object: f.text({
      doc: 'Of a step that makes an instance the record type of the template or of the instance; of a step that calls an operation its module.',
      max: 60,
      exact: true,
    }),
    ObjectID: f.id({ doc: 'The template of which an instance is made.' }),
    Operation: f.text({ doc: 'The operation of Object that is called.', max: 200, exact: true }),
    Parameters: f.text({
      doc: 'What is sent, as a query string: `Status=Open&Loan={LoanID}`. Braces hold a field of the case, an XPath on its summary, or a field of the row or document that Method answers.',
      max: 10_000,
      exact: true,
    }),
    Method: f.text({
      doc: 'A signature that is called first. Its rows are gone through, one call for each; of XML or JSON its document fills the braces of one call.',
      max: 2000,
      exact: true,
    }),
    BatchLog: f.boolean({
      doc: 'The rows of Method are queued as an import file of their own and run side by side; the step waits for the last one.',
      default: false,
    }),
    BatchStepTheadCount: f.integer({
      doc: 'How many rows run side by side at most where they are logged as a batch; 4 where it is empty.',
    }),
    StepXml: f.text({
      doc: 'What an editor of the stylesheet made of it; kept as it is.',
      max: 1_000_000,
      exact: true,
    }),
    StepXslt: f.text({
      doc: "Of the types IfThen and Polling: a stylesheet on the case's summary, or on what Method answers. Its output 1 is true.",
      max: 1_000_000,
      exact: true,
    }),
    DurationScale: f.integer({
      doc: 'The unit of EstimatedDuration: 0 days, 1 hours, 2 minutes, 3 seconds, 4 months, 5 years, 6 business days.',
      default: 0,
    }),
    EstimatedDuration: f.decimal({ doc: 'How long the step should take.' }),
    ReferenceDate: f.text({
      doc: 'A date of the case from which the step is estimated instead of from the steps before it: a field or an XPath on the summary.',
      max: 2000,
      exact: true,
    }),
    Repeatability: f.integer({
      doc: '1: once in a workflow; 2: again whenever a step before it completes again; 0: only by hand.',
      default: 1,
    }),
    Async: f.boolean({ doc: 'The step is started from a queue rather than at once.', default: false }),
    Queue: f.text({
      doc: 'The queue of a step that is started from one; the default queue where it is empty.',
      max: 100,
    }),
    QueueParameters: f.text({
      doc: 'What decides the queue for a case, as a query string: `QueueName=Mail&QueuedDate={SaleDate}`; QueueName, QueuedDate, QueueLabel.',
      max: 2000,
      exact: true,
    }),
    ObjectMatrixID: f.id({
      doc: 'A matrix that is asked for the case: its output TemplateName picks the template, outputs named after the instance, as `ImportForm_Status`, are sent with it.',
      to: 'Matrix',
    }),
    MonitorScheduleID: f.id({ doc: 'Of the type Polling: when it is looked at again.', to: 'Schedule' }),
    CreateOnCompletion: f.boolean({
      doc: 'The step is complete as soon as it is started; what it made is not waited for.',
      default: false,
    }),
    TeamID: f.id({ doc: 'The team whose work it is: tasks that the step makes go to it.', to: 'Collection' }),
    OnStartParentStatus: f.text({ doc: 'The status that the case gets when the step starts.', max: 100 }),
    OnStartDecisionStatus: f.text({ doc: 'The status that the workflow gets when the step starts.', max: 100 }),
    OnCompleteParentStatus: f.text({ doc: 'The status that the case gets when the step completes.', max: 100 }),
    OnCompleteDecisionStatus: f.text({ doc: 'The status that the workflow gets when the step completes.', max: 100 }),
    Description: f.text({ doc: 'What it is for.', max: 10_000 }),
  },
});
