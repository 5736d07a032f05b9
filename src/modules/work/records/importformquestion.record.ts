import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const importFormQuestion = defineRecord({
  name: 'ImportFormQuestion',
  doc: 'A question of a form: what people are asked, and what an answer must be.',
  reach: 'configuration',
  collections: { ImportFormTemplateID: 'Questions' },
  childKey: 'ImportFormQuestion',
  labelDoc:
    "The answer's name in XmlData; or a field of the task, such as ProjectedCompletion; or one of the case, such as Process_Status.",
  labelMax: 100,
  triggers: { importformquestion_configuration: 'Tells every process that forms changed.' },
  fields: {
    ImportFormTemplateID: required(f.id({ doc: 'The form.', to: 'ImportFormTemplate' })),
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
        'Label',
      ],
      { doc: 'What an answer is. A Label is a heading and takes none.', default: 'Text' },
    ),
    Prompt: f.text({ doc: 'What people are asked; empty: the name in words.', max: 1000 }),
    Help: f.text({ doc: 'What helps them to answer.', max: 4000 }),
    Section: f.text({ doc: 'The heading under which it stands.', max: 100 }),
    Sequence: f.integer({ doc: 'The order of questions.' }),
    IsRequired: f.boolean({ doc: 'Whether the task can be completed only with an answer.' }),
    Choices: f.text({
      doc: 'Of Choice and MultipleChoice: the answers that are allowed, one a line, each a code, or a code and what people read: code|label.',
      max: 50000,
    }),
    Minimum: f.text({
      doc: 'The least that is allowed: a number or a date; of texts how many characters, of a MultipleChoice how many choices.',
      max: 40,
      exact: true,
    }),
    Maximum: f.text({ doc: 'The most that is allowed, as of Minimum.', max: 40, exact: true }),
    Pattern: f.text({
      doc: 'Of a Text: a regular expression of PostgreSQL that the whole answer matches.',
      max: 500,
      exact: true,
    }),
    DefaultAnswer: f.text({ doc: 'What a new form holds already.', max: 1000, exact: true }),
    Calculation: f.text({
      doc: "An XPath 1.0 expression over the form's document that makes the answer at each save; nothing that is sent takes its place.",
      max: 4000,
      exact: true,
    }),
    ShownWhen: f.text({
      doc: "An XPath 1.0 expression over the form's document; where it is false the question is not asked.",
      max: 4000,
      exact: true,
    }),
    RequiredWhen: f.text({
      doc: "An XPath 1.0 expression over the form's document; where it is true an answer is required.",
      max: 4000,
      exact: true,
    }),
  },
});
