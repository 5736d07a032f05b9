import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { findRecords, FOUND_PER_TYPE_MAX } from './lib/find-records.ts';
import { findMisspelled, withMisspelled } from './lib/find-misspelled.ts';

const found = {
  Object: required(f.text({ doc: 'The concrete record type.' })),
  ObjectID: required(f.id({ doc: "The record's id." })),
  Label: f.text({ doc: 'Its label.' }),
  Status: f.text({ doc: 'The path of the record.' }),
  UpdatedDate: f.timestamp({ doc: 'When it was last changed.' }),
  Parent: f.text({ doc: 'The record type of its parent, if it has one.' }),
  ParentID: f.id({ doc: 'The id of that record.' }),
  FoundBy: required(
    f.text({
      doc:
        'Where the text was found: Label, Words, Spelling, ID, SubscriberID or a column by which such records are ' +
        'searched.',
    }),
  ),
};

/** Shortest text searched in labels: a single letter would find half of all records. */
const TEXT_LENGTH_MIN = 2;

export const operation = defineOperation({
  module: 'record',
  name: 'Find',
  method: 'GET',
  summary:
    'Finds records of every type that the user may search, by the beginning of their label, by id, or by an ' +
    'external ID; people, loans, properties, cases and documents also by words of names and addresses, pieces of ' +
    'words, and the last digits of numbers. Of other types, the labels of the newest 2,000 records are searched.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    Text: required(
      f.text({
        doc:
          'The beginning of a label, or words of names and addresses, all of which are found: as beginnings of ' +
          'words, and if these are few, from three characters on, also within words. Three or more digits also find ' +
          'numbers that end with them. `*` stands for any text, so `*Mary` also matches within labels. A whole ' +
          'number is also searched as an id.',
        max: 200,
      }),
    ),
    Objects: f.textList({ doc: 'Record types to search. Empty: all.' }),
    Misspelled: f.boolean({
      doc:
        'Also find people and firms whose names are spelled nearly like the text, if their names have few of its ' +
        'words. Their FoundBy is Spelling.',
      default: false,
    }),
    DisplaySize: f.integer({
      doc: `How many records of each type to return, at most ${FOUND_PER_TYPE_MAX}.`,
      default: 5,
    }),
  },
  returns: 'list',
  answerName: 'Found',
  rows: found,
  errors: ['BAD_PARAMETER'],
  source: 'checklist WEB-01',
});

export const run = handle(operation, async (ctx, { Text, Objects, Misspelled, DisplaySize }) => {
  const text = Text.trim();
  if (text.includes('\u0000') || !text.isWellFormed()) throw bad('Text', 'well-formed Unicode text');
  if (text.replaceAll('*', '').length < TEXT_LENGTH_MIN && !/^\d+$/.test(text))
    throw bad('Text', `at least ${TEXT_LENGTH_MIN} characters, or an id`);
  if (DisplaySize < 1 || DisplaySize > FOUND_PER_TYPE_MAX)
    throw bad('DisplaySize', `a number of records between 1 and ${FOUND_PER_TYPE_MAX}`);
  const records = (Objects ?? []).map((name) => ctx.registry.requireRecord(name, 'Objects'));
  const [spelled, misspelled] = await Promise.all([
    findRecords(ctx, text, records, DisplaySize),
    Misspelled ? findMisspelled(ctx, text, records, DisplaySize) : [],
  ]);
  return list('Found', found, withMisspelled(spelled, misspelled, DisplaySize));
});
