import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { checkMilitaryStatus } from './lib/scra/check-military-status.ts';

export const operation = defineOperation({
  module: 'contact',
  name: 'SCRACheck',
  method: 'POST',
  summary:
    'Asks the source of military status about a contact that is Pending and writes what it answers. Queued by the platform itself for each contact of scrasearch; calling it again does no harm.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The contact.' })),
    Attempt: f.integer({ doc: 'Which attempt it is, counted from 1.', default: 1 }),
  },
  transactions: 'own',
  returns: {
    ContactID: required(f.id({ doc: 'The contact.' })),
    SCRAStatus: f.text({ doc: 'Its status now.', max: 60 }),
  },
  answerName: 'Contact',
  errors: ['NOT_FOUND', 'CONCURRENT_CHANGE'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID, Attempt }) => {
  if (Attempt < 1) throw bad('Attempt', 'a number above 0');
  return item('Contact', operation.returns, { ContactID: ID, SCRAStatus: await checkMilitaryStatus(ctx, ID, Attempt) });
});
