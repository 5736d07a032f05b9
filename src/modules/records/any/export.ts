import type { ContentAnswer } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { exportConfiguration } from '../../../kernel/records/transfer/transfer-export.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'Export',
  on: 'configuration',
  method: 'GET',
  summary:
    'Exports configuration as one XML document: the requested records and all that they need, with ' +
    'SubscriberIDs instead of ids, for import elsewhere.',
  // A record without a SubscriberID gets one.
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: f.idList({ doc: 'The records. Empty: all of the type.' }) },
  returns: 'content',
  errors: ['NOT_FOUND', 'TOO_LARGE', 'STATE_REFUSES'],
  source: 'decisions, Records and operations',
});

export const run = handle(operation, async (ctx, { ID }): Promise<ContentAnswer> => ({
  kind: 'content',
  mime: 'text/xml; charset=utf-8',
  fileName: `${ctx.record.name}.xml`,
  disposition: 'attachment',
  bytes: await exportConfiguration(ctx, ctx.record, ID ?? undefined),
}));
