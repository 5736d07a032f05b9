import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { pagingFields, searchRecords, searchAllRows } from '../../../kernel/records/search/search.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'ListByObject',
  method: 'GET',
  summary: 'Lists the records whose parent is one record.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    Object: required(f.text({ doc: "The parent's record type.", max: 60 })),
    ObjectID: required(f.id({ doc: "The parent's id." })),
    ...pagingFields,
  },
  returns: 'list',
  readWhole: (ctx, { Object: parent, ObjectID: id, ...paging }, _rest, take) =>
    searchAllRows(ctx, ctx.record, { filters: parentFilter(ctx, String(parent), Number(id)), paging }, take),
  errors: ['BAD_PARAMETER'],
  source: '1-core §1, §4',
});

export const run = handle(operation, (ctx, { Object, ObjectID, ...paging }) =>
  searchRecords(ctx, ctx.record, parentFilter(ctx, Object, ObjectID), paging),
);

function parentFilter(ctx: Context, parent: string, id: number): Parameters {
  if (ctx.record.parent === undefined)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Object',
      message: `Object: ${ctx.record.name} has no parent records by Object and ObjectID.`,
    });
  return { Object: ctx.registry.requireRecord(parent, 'Object').name, ObjectID: id };
}
