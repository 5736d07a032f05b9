import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { removeFollow } from './lib/own-follows.ts';

export const operation = defineOperation({
  module: 'follow',
  name: 'Remove',
  method: 'POST',
  summary: 'The caller is no longer notified of changes of a record.',
  effect: 'write',
  idempotent: true,
  access: 'signed-in',
  params: {
    Object: required(f.text({ doc: 'The record type, as `follow/mine` returns it.', max: 60, exact: true })),
    ObjectID: required(f.id({ doc: 'The record.' })),
  },
  returns: 'nothing',
  errors: ['NOT_FOUND'],
  source: 'checklist WEB-02',
});

export const run = handle(operation, async (ctx, { Object, ObjectID }) => {
  if (!(await removeFollow(ctx, ctx.registry.record(Object)?.name ?? Object, ObjectID)))
    throw new PlatformError('NOT_FOUND', { field: 'ObjectID', message: "ObjectID: you don't follow this record." });
  return { kind: 'nothing' };
});
