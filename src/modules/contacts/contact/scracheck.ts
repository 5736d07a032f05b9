import { item } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { isBuiltinUser } from '../../../kernel/security/system-user.ts';
import { countMilitaryChecks } from './lib/scra/count-checks.ts';
import { checkMilitaryStatus } from './lib/scra/check-military-status.ts';

export const operation = defineOperation({
  module: 'contact',
  name: 'SCRACheck',
  method: 'POST',
  summary:
    'Queries the military status source about a contact that is Pending and saves the result. Queued by the ' +
    'platform for each contact of scrasearch; calling it again is harmless.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The contact.' })),
    Attempt: f.integer({ doc: 'The number of the attempt, from 1.', default: 1 }),
  },
  transactions: 'own',
  returns: {
    ContactID: required(f.id({ doc: 'The contact.' })),
    SCRAStatus: f.text({ doc: 'Its current status.', max: 60 }),
  },
  answerName: 'Contact',
  errors: ['NOT_FOUND', 'CONCURRENT_CHANGE', 'TOO_MANY'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID, Attempt }) => {
  if (Attempt < 1) throw bad('Attempt', 'a number above 0');
  // Those that scrasearch has queued are counted; anybody may save a contact as Pending.
  if (!isBuiltinUser(ctx.caller, 'System')) await countMilitaryChecks(ctx, 1);
  return item('Contact', operation.returns, {
    ContactID: ID,
    SCRAStatus: await checkMilitaryStatus(ctx, namedRow(ctx, ctx.record), Attempt),
  });
});
