import { f } from '../../../../kernel/declare/field.ts';

/** Parameters that select a form: of a task, or of a new one. */
export const formParams = {
  ID: f.id({ doc: 'The task.', to: 'ImportForm' }),
  Template: f.text({ doc: 'Without ID: the task type of a new task, by name.', max: 100 }),
  TemplateID: f.id({ doc: 'The task type by its ID.', to: 'ImportFormTemplate' }),
  Object: f.text({ doc: 'The record type of the parent of a new task.', max: 60 }),
  ObjectID: f.id({ doc: "The parent's ID." }),
};
