import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const decisionStepTemplate = defineRecord({
  name: 'DecisionStepTemplate',
  title: 'Step template',
  doc:
    'A step of a workflow template: it creates a record from a template, calls an operation, ' +
    'or evaluates a stylesheet.',
  reach: 'configuration',
  collections: { DecisionTemplateID: 'Steps' },
  childKey: 'DecisionStepTemplate',
  labelDoc: "The step's name, which dependencies refer to; unique in the workflow.",
  labelMax: 100,
  triggers: {
    decisionsteptemplate_configuration: 'Notifies all processes that templates changed.',
    decisionsteptemplate_unsubscribe: 'Deletes the external IDs of deleted steps, also when their workflow is deleted.',
    decisionsteptemplate_case_changed: 'Notes that the summaries of the open cases of its workflow are out of date.',
  },
  fields: {
    DecisionTemplateID: required(f.id({ label: 'Workflow template', doc: 'The workflow.', to: 'DecisionTemplate' })),
    Sequence: f.integer({ label: 'Order', doc: 'Sort order of the steps in lists, and of their milestones.' }),
    Milestone: f.text({
      doc:
        'The milestone of the case that is reached when the step completes, such as `Title`; of an if/then step, ' +
        'when it completes with true. Steps with the same milestone are alternatives: the first to complete ' +
        'reaches it.',
      max: 60,
    }),
    Object: f.text({
      label: 'Creates',
      doc:
        'Without Operation, the template type of the record to create, such as ImportFormTemplate; the type of the ' +
        'record itself (ImportForm) is accepted too, and where ObjectID is sent stored as its template type. With ' +
        'Operation, the module of the operation to call.',
      max: 60,
      exact: true,
    }),
    ObjectID: f.id({ label: 'From template', doc: 'The template of the record to create.' }),
    Operation: f.text({ doc: 'The operation of Object to call.', max: 200, exact: true }),
    Parameters: f.text({
      doc:
        'Parameters as a query string: `Status=Open&Loan={LoanID}`. A merge field names a field of the ' +
        'case, an XPath on its summary, or a field of the row or document that Method returns.',
      max: 10_000,
      exact: true,
    }),
    Method: f.text({
      label: 'Calls',
      doc:
        'A signature called first. For rows the operation is called once per row; for XML or JSON once, ' +
        'with merge fields from the document.',
      max: 2000,
      exact: true,
    }),
    BatchLog: f.boolean({
      label: 'Log each record',
      doc:
        'Whether the rows of Method are queued as a batch (an import file) and run in parallel. The ' +
        'step waits for the last one.',
      default: false,
    }),
    BatchStepTheadCount: f.integer({
      label: 'Records at a time',
      doc: 'Most rows of a batch that run in parallel; 4 if empty.',
    }),
    StepXml: f.text({
      label: 'Input document',
      doc: 'Data of a stylesheet editor, stored unchanged.',
      max: 1_000_000,
      exact: true,
    }),
    StepXslt: f.text({
      label: 'Stylesheet',
      doc:
        "For the types IfThen and Polling: a stylesheet on the case's summary, or on the answer of " +
        'Method. Output 1 means true.',
      max: 1_000_000,
      exact: true,
    }),
    DurationScale: f.integer({
      label: 'Duration counts',
      doc: 'The unit of EstimatedDuration: 0 days, 1 hours, 2 minutes, 3 seconds, 4 months, 5 years, 6 business days.',
      default: 0,
    }),
    EstimatedDuration: f.decimal({
      label: 'Duration',
      doc: 'The expected duration of the step. Below 0: the step is due so long before its ReferenceDate.',
    }),
    ReferenceDate: f.text({
      label: 'Due date counts from',
      doc:
        'A date of the case to estimate the step from, instead of its dependencies: a field, or an ' +
        'XPath on the summary.',
      max: 2000,
      exact: true,
    }),
    Repeatability: f.integer({
      label: 'Times it may repeat',
      doc: '1: once per workflow; 2: again whenever a dependency completes again; 0: only manually.',
      default: 1,
    }),
    Async: f.boolean({
      label: 'In the background',
      doc: 'Whether the step starts from the job queue rather than at once.',
      default: false,
    }),
    Queue: f.text({
      doc: 'The job queue that the step starts from; the default one if empty.',
      max: 100,
    }),
    QueueParameters: f.text({
      doc:
        'Queue options for the case as a query string: `QueueName=Mail&QueuedDate={SaleDate}`. Allowed: ' +
        'QueueName, QueuedDate, QueueLabel.',
      max: 2000,
      exact: true,
    }),
    ObjectMatrixID: f.id({
      label: 'Decision table',
      doc:
        'A matrix evaluated for the case. Its output TemplateName picks the template; outputs named ' +
        'after the record, such as `ImportForm_Status`, are sent with it.',
      to: 'Matrix',
    }),
    MonitorScheduleID: f.id({
      label: 'Checked on schedule',
      doc: 'When a step of the type Polling is polled.',
      to: 'Schedule',
    }),
    CreateOnCompletion: f.boolean({
      label: 'Create when complete',
      doc: 'Whether the step completes as soon as it is started, without waiting for what it created.',
      default: false,
    }),
    TeamID: f.id({
      doc: 'The team that does the work: tasks created by the step are assigned to it.',
      to: 'Collection',
    }),
    OnStartParentStatus: f.text({
      label: 'Case status at start',
      doc: 'The status that the case gets when the step starts.',
      max: 100,
    }),
    OnStartDecisionStatus: f.text({
      label: 'Workflow status at start',
      doc: 'The status that the workflow gets when the step starts.',
      max: 100,
    }),
    OnCompleteParentStatus: f.text({
      label: 'Case status when done',
      doc: 'The status that the case gets when the step completes.',
      max: 100,
    }),
    OnCompleteDecisionStatus: f.text({
      label: 'Workflow status when done',
      doc: 'The status that the workflow gets when the step completes.',
      max: 100,
    }),
    Description: f.text({ doc: 'A description.', max: 10_000 }),
  },
});
