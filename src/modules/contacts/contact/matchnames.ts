import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import type { Finding } from '../../../lib/names/compare-persons.ts';
import { matchNames, readName } from '../../../lib/names/match-names.ts';
import { NAME_CHARACTERS_MAX, nameParameter } from './lib/names/name-parameter.ts';

const returns = {
  Confidence: required(
    f.integer({
      doc:
        'Confidence from 0 to 100 that both names denote the same person or company. From 80 on they count as ' +
        'the same; 100 only if the texts are equal, ignoring case, spaces and invisible characters.',
    }),
  ),
  Explanation: f.personal({
    doc:
      'With Explain: the compared parts of both names, the text of each and their agreement from 0 to 100, one ' +
      'per line.',
  }),
};

export const operation = defineOperation({
  module: 'contact',
  name: 'MatchNames',
  method: 'GET',
  summary:
    'Returns the confidence that two names denote the same person or company. Handles nicknames, initials, ' +
    'order, double surnames, suffixes, spellings, legal forms, abbreviations, aliases and typing errors.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    FirstName: required(
      f.personal({ doc: 'One of the two names, in full; not a given name alone.', max: NAME_CHARACTERS_MAX }),
    ),
    SecondName: required(f.personal({ doc: 'The other name, in full.', max: NAME_CHARACTERS_MAX })),
    Explain: f.boolean({ doc: 'Whether to return the parts that counted for and against.', default: false }),
  },
  returns,
  answerName: 'NameMatch',
  errors: ['MISSING_PARAMETER', 'BAD_PARAMETER'],
  source: '1-core §4',
});

export const run = handle(operation, async (_ctx, params) => {
  const match = matchNames(
    readName(nameParameter('FirstName', params.FirstName)),
    readName(nameParameter('SecondName', params.SecondName)),
  );
  return item('NameMatch', returns, {
    Confidence: match.confidence,
    Explanation: params.Explain ? match.explain().map(line).join('\n') : null,
  });
});

function line({ part, first, second, score, why }: Finding): string {
  return `${part}: ${first || '(none)'} / ${second || '(none)'}: ${why} (${score})`;
}
