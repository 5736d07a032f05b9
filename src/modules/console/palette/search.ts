import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { paletteHits } from './lib/palette-hits.ts';

const found = {
  Object: required(f.text({ doc: 'The concrete record type.' })),
  ObjectID: required(f.id({ doc: "The record's id." })),
  Label: f.personal({ doc: 'What it is called: of a case, its borrowers.' }),
  Detail: f.personal({ doc: 'What distinguishes it: of a case, the address of the property.' }),
  CaseNumber: f.text({ label: 'Case', doc: 'Of a case: its number.' }),
  Status: f.text({ doc: 'Its status.' }),
  DateClosed: f.date({ label: 'Closed', doc: 'Of a case: the day on which it was closed.' }),
  FoundBy: required(f.text({ doc: 'Where the text was found, as in `record/find`; Text: in the document.' })),
  Snippet: f.personal({ doc: 'For a document that contains the text: an excerpt with the hits in <mark>, as HTML.' }),
  PageNumber: f.integer({ label: 'Page', doc: 'The page of the piece, if the document has pages.' }),
};

export const operation = defineOperation({
  module: 'palette',
  name: 'Search',
  method: 'GET',
  summary:
    'Finds what people look for by name or number while they type: cases first, by borrower, address, loan or case ' +
    'number; then people, and documents by name and by what is in them. Also finds names that are spelled nearly ' +
    'like the text.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    Text: required(f.text({ doc: 'What is looked for, at least two characters.', max: 200 })),
    DisplaySize: f.integer({ doc: 'Most records of each kind.', default: 6 }),
  },
  returns: 'list',
  answerName: 'Found',
  rows: found,
  errors: ['BAD_PARAMETER'],
  source: 'checklist WEB-01',
});

export const run = handle(operation, async (ctx, { Text, DisplaySize }) =>
  list('Found', found, await paletteHits(ctx, Text.trim(), Math.min(Math.max(DisplaySize, 1), 20))),
);
