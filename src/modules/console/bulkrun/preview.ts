import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRequest, requestFields } from './lib/bulk-request.ts';
import { tryCalls } from './lib/try-calls.ts';

const fields = {
  ID: required(f.id({ doc: 'The record.' })),
  Label: f.text({ doc: 'Its label.' }),
  Problem: f.text({ doc: 'Why the call would be refused; empty if it would succeed.' }),
  Count: required(f.integer({ doc: 'Number of records that the bulk change is for.' })),
};

export const operation = defineOperation({
  module: 'bulkrun',
  name: 'Preview',
  method: 'POST',
  summary:
    'Tries a bulk change on its first 100 records and rolls it back: says which calls would be refused, and why.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'BulkRunStart',
  callsNamed: true,
  params: requestFields,
  returns: 'list',
  answerName: 'BulkRunPreview',
  rows: fields,
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'BAD_SIGNATURE', 'NO_PERMISSION'],
  source: 'checklist WEB-01',
});

export const run = handle(operation, async (ctx, params) => {
  const { count, calls } = await tryCalls(ctx, await readRequest(ctx, params));
  return list(
    'BulkRunPreview',
    fields,
    calls.map((call) => ({ ...call, Count: count })),
  );
});
