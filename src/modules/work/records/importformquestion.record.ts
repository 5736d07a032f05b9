import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const importFormQuestion = defineRecord({
  name: 'ImportFormQuestion',
  title: 'Task question',
  doc: "A question on a task's form, and which answers are valid.",
  reach: 'configuration',
  collections: { ImportFormTemplateID: 'Questions' },
  childKey: 'ImportFormQuestion',
  labelDoc:
    "The answer's name in XmlData; or a field of the task, such as ProjectedCompletion; or of the " +
    'case, such as Process_Status.',
  labelMax: 100,
  triggers: { importformquestion_configuration: 'Notifies all processes that forms changed.' },
  fields: {
    ImportFormTemplateID: required(f.id({ label: 'Task type', doc: 'The form.', to: 'ImportFormTemplate' })),
    QuestionType: f.choice(
      [
        'Text',
        'LongText',
        'Number',
        'Money',
        'Date',
        'Timestamp',
        'Boolean',
        'Choice',
        'MultipleChoice',
        'Person',
        'Rows',
        'Label',
      ],
      {
        label: 'Kind of answer',
        valueLabels: {
          Text: 'One line of text',
          LongText: 'Several lines of text',
          Timestamp: 'Date and time',
          Boolean: 'Yes or no',
          Choice: 'One choice',
          MultipleChoice: 'Several choices',
          Person: 'User',
          Rows: 'Table with rows',
          Label: 'Heading',
        },
        doc:
          'The type of the answer. Rows are a table, whose columns are the questions that name it in RowsOf. ' +
          'A Label is a heading without an answer.',
        default: 'Text',
      },
    ),
    RowsOf: f.text({
      label: 'Column of',
      doc: 'For a column: the question of the type Rows that it belongs to.',
      max: 100,
    }),
    Prompt: f.text({ label: 'Question', doc: 'The text of the question; derived from the name if empty.', max: 1000 }),
    Help: f.text({ doc: 'Help text.', max: 4000 }),
    Section: f.text({ doc: 'The heading above it.', max: 100 }),
    Sequence: f.integer({ label: 'Order', doc: 'Sort order of the questions.' }),
    IsRequired: f.boolean({ doc: 'Whether the task cannot be completed without an answer.' }),
    Choices: f.text({
      doc: 'For Choice and MultipleChoice: the allowed answers, one per line, as code or code|label.',
      max: 50000,
    }),
    Minimum: f.text({
      doc:
        'The minimum: a number or a date; for texts the number of characters, for MultipleChoice the ' +
        'number of choices, for Rows the number of rows.',
      max: 40,
      exact: true,
    }),
    Maximum: f.text({ doc: 'The maximum, like Minimum.', max: 40, exact: true }),
    Pattern: f.text({
      label: 'Must match',
      doc: 'For Text: a PostgreSQL regular expression that the whole answer must match.',
      max: 500,
      exact: true,
    }),
    DefaultAnswer: f.text({ doc: 'The default answer.', max: 1000, exact: true }),
    Calculation: f.text({
      doc:
        "An XPath 1.0 expression over the form's document that calculates the answer at each save. " +
        'Submitted answers are ignored.',
      max: 4000,
      exact: true,
    }),
    ShownWhen: f.text({
      label: 'Asked when',
      doc: "An XPath 1.0 expression over the form's document. If it is false, the question is hidden.",
      max: 4000,
      exact: true,
    }),
    RequiredWhen: f.text({
      doc: "An XPath 1.0 expression over the form's document. If it is true, an answer is required.",
      max: 4000,
      exact: true,
    }),
  },
});
