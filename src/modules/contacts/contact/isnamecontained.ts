import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { containedConfidence } from '../../../lib/names/contained-name.ts';
import { NAME_CHARACTERS_MAX, nameParameter, TEXT_CHARACTERS_MAX } from './lib/names/name-parameter.ts';

const returns = {
  Contained: required(f.boolean({ doc: 'Whether the name appears with at least the confidence that was asked for.' })),
  Confidence: required(
    f.integer({
      doc: 'From 0 to 100: how sure the best place of the text is. 100: the words of the name next to one another, in its order or with the surname and a comma in front.',
    }),
  ),
};

export const operation = defineOperation({
  module: 'contact',
  name: 'IsNameContained',
  method: 'GET',
  summary:
    'Tells whether a name appears within another text, such as a title, a caption or the names of several people.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    Name: required(f.personal({ doc: 'The name that is looked for.', max: NAME_CHARACTERS_MAX })),
    ContainedIn: required(f.personal({ doc: 'The text in which it is looked for.', max: TEXT_CHARACTERS_MAX })),
    Confidence: f.integer({
      doc: 'From 0 to 100: how sure it must be. Below 100, initials, missing middle names, nicknames and slips are let through.',
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
