import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { containedConfidence } from '../../../lib/names/contained-name.ts';
import { NAME_CHARACTERS_MAX, nameParameter, TEXT_CHARACTERS_MAX } from './lib/names/name-parameter.ts';

const returns = {
  Contained: required(f.boolean({ doc: 'Whether the name appears with at least the requested confidence.' })),
  Confidence: required(
    f.integer({
      doc:
        'Confidence from 0 to 100 of the best match in the text. 100: the words of the name in sequence, in ' +
        'its order or with the surname and a comma in front.',
    }),
  ),
};

export const operation = defineOperation({
  module: 'contact',
  name: 'IsNameContained',
  method: 'GET',
  summary:
    'Returns whether a name appears within another text, such as a title, a caption or the names of several people.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    Name: required(f.personal({ doc: 'The name to search for.', max: NAME_CHARACTERS_MAX })),
    ContainedIn: required(f.personal({ doc: 'The text to search.', max: TEXT_CHARACTERS_MAX })),
    Confidence: f.integer({
      doc:
        'Minimum confidence from 0 to 100. Below 100, initials, missing middle names, nicknames and ' +
        'misspellings are accepted.',
      default: 100,
    }),
  },
  returns,
  answerName: 'NameContained',
  errors: ['MISSING_PARAMETER', 'BAD_PARAMETER'],
  source: '1-core §4',
});

export const run = handle(operation, async (_ctx, params) => {
  const threshold = params.Confidence;
  if (threshold < 0 || threshold > 100) throw bad('Confidence', 'a whole number from 0 to 100');
  const confidence = containedConfidence(
    nameParameter('Name', params.Name),
    nameParameter('ContainedIn', params.ContainedIn),
  );
  return item('NameContained', returns, { Contained: confidence >= threshold, Confidence: confidence });
});
