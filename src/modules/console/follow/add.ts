import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { addFollow, FOLLOWS_MAX } from './lib/own-follows.ts';
import { followableType } from './lib/followable.ts';

export const operation = defineOperation({
  module: 'follow',
  name: 'Add',
  method: 'POST',
  summary: 'The caller is notified of meaningful changes of a record from now on, except of their own.',
  effect: 'write',
  idempotent: true,
  access: 'signed-in',
  names: { object: 'Object', id: 'ObjectID' },
  params: {
    Object: required(f.text({ doc: 'The record type: Foreclosure, Bankruptcy or Loan.', max: 60 })),
    ObjectID: required(f.id({ doc: 'The record.' })),
  },
  returns: 'nothing',
  errors: ['NOT_FOUND', 'BAD_PARAMETER'],
  source: 'checklist WEB-02',
});

export const run = handle(operation, async (ctx, { Object, ObjectID }) => {
  const type = await followableType(ctx, Object, ObjectID);
  if (!(await addFollow(ctx, type, ObjectID)))
    throw new PlatformError('BAD_PARAMETER', {
      field: 'ObjectID',
      message: `ObjectID: you follow ${FOLLOWS_MAX} records, the most possible. Stop following one of them first.`,
    });
  return { kind: 'nothing' };
});
