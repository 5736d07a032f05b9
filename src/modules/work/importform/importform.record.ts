import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import type { Row } from '../../../kernel/door/answer.ts';

export const importForm = defineRecord({
  name: 'ImportForm',
  title: 'Task',
  doc: 'A task on a case, planned or completed, with the answers to its questions.',
  reach: 'one',
  parent: 'ImportForms',
  template: 'ImportFormTemplate',
  templateTitle: 'Task type',
  labelFromTemplate: true,
  answers: 'XmlData',
  labelDoc: "The task's name. Defaults to its type's.",
  triggers: {
    importform_reach: 'Sets the firm that can access the task, from its parent, as its type allows.',
    importform_draft: 'Deletes the draft of its answers when it is completed or canceled.',
    importform_items: 'Marks its work items as on hold, or no longer, when it gets another step.',
    importform_reach_spread: 'Propagates a change of firm to the records below it.',
    importform_case_created: 'Notes that the summary of its case is out of date.',
    importform_case_deleted: 'Notes it when the row goes.',
    importform_case_changed: 'Notes it when what the summary shows changes.',
  },
  sqlFilters: {
    Overdue: {
      doc: 'Open tasks whose due date, or else expected date, is past.',
      condition:
        'importform.actualcompletion is null and importform.canceleddate is null ' +
        'and coalesce(importform.projectedcompletion, importform.estimatedcompletion) <= now()',
    },
  },
  fields: {
    EstimatedStart: f.timestamp({ label: 'Expected start', doc: 'When it should start according to its workflow.' }),
    EstimatedCompletion: f.timestamp({
      label: 'Expected',
      doc: 'When it should be complete according to its workflow.',
    }),
    ProjectedStart: f.timestamp({ label: 'Planned start', doc: 'The expected start, as entered by a user.' }),
    ProjectedCompletion: f.timestamp({ label: 'Due', doc: 'The due date, as entered by a user.' }),
    ActualStart: f.timestamp({ label: 'Started', doc: 'When it was started.' }),
    ActualCompletion: f.timestamp({ label: 'Completed', doc: 'When it was completed.' }),
    CanceledDate: f.timestamp({ label: 'Canceled', doc: 'When it was canceled.' }),
    XmlData: f.xml({ label: 'Answers', doc: 'The answers, as XML.' }),
    AssignedCollectionID: f.id({ label: 'Assigned team', doc: 'The team it is assigned to.', to: 'Collection' }),
    AssignedPersonID: f.id({ label: 'Assigned to', doc: 'The user it is assigned to.', to: 'Person' }),
    DecisionStepID: f.id({ label: 'Step', doc: 'The workflow step it completes.', to: 'DecisionStep' }),
    IsFollowUp: f.boolean({
      label: 'Follow-up',
      doc: 'Whether it asks for the answers that a task of its type, reported complete, did not have.',
    }),
  },
});

/** A stored task. */
export type Task = Row<typeof importForm>;
