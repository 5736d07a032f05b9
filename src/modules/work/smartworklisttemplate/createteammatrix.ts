import { recordItem } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { bindMatrix } from './lib/bind-matrix.ts';

export const operation = defineOperation({
  module: 'smartworklisttemplate',
  name: 'CreateTeamMatrix',
  method: 'POST',
  summary:
    'Creates and binds a matrix that decides Team, Person, Priority and SmartWorklist for a queue ' +
    'template, with inputs of its record type and no rows. Or binds an existing matrix.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  on: 'configuration',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.id({ doc: 'The template.' })),
    TeamMatrixID: f.id({ doc: 'The matrix to bind. A new one is created if it is not sent.', to: 'Matrix' }),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES', 'DUPLICATE_KEY'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { ID, TeamMatrixID }) => {
  await bindMatrix(ctx, namedRow(ctx, ctx.record), 'team', TeamMatrixID ?? undefined);
  return recordItem(ctx.record, await readRecord(ctx.db, ctx.record, ID));
});
