import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import type { Finding } from '../../../lib/names/compare-persons.ts';
import { matchNames, readName } from '../../../lib/names/match-names.ts';
import { NAME_CHARACTERS_MAX, nameParameter } from './lib/names/name-parameter.ts';

const returns = {
  Confidence: required(
    f.integer({
      doc: 'From 0 to 100: how sure it is that both names denote the same person or company. 80 and more is taken for the same; 100 only if the texts are equal, case, spaces and unseen characters aside.',
    }),
  ),
  Explanation: f.personal({
    doc: 'With Explain: the parts of both names that were compared, what each says, and how far it agrees from 0 to 100; one to a line.',
  }),
};

export const operation = defineOperation({
  module: 'contact',
  name: 'MatchNames',
  method: 'GET',
  summary:
    'Tells how sure it is that two names denote the same person or company: nicknames, initials, order, double surnames, suffixes, other writings, legal forms, abbreviations, aliases and slips of the pen are known to it.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    FirstName: required(
      f.personal({ doc: 'One of the two names, whole; not a given name.', max: NAME_CHARACTERS_MAX }),
    ),
    SecondName: required(f.personal({ doc: 'The other name, whole.', max: NAME_CHARACTERS_MAX })),
    Explain: f.boolean({ doc: 'Whether the parts that spoke for and against are answered too.', default: false }),
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
