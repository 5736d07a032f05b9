import type { ListAnswer, Row } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { pagingFields, searchAllRows, searchRecords } from '../../../kernel/records/search/search.ts';
import { detailedList } from '../lib/reading/message-details.ts';
import type { message } from './message.record.ts';

export const operation = defineOperation({
  module: 'message',
  name: 'ListByObject',
  method: 'GET',
  summary:
    'Lists the messages of a record, newest first: each with its direction, whether the caller has read it, its ' +
    'recipients with what became of the message there, and the number of its documents. With SqlColumns, each has ' +
    'these columns alone.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    Object: required(f.text({ doc: "The parent's record type.", max: 60 })),
    ObjectID: required(f.id({ doc: "The parent's id." })),
    ...pagingFields,
  },
  returns: 'list',
  readWhole: (ctx, { Object: parent, ObjectID: id, OrderBy, ...page }, _rest, take) =>
    searchAllRows(
      ctx,
      ctx.record,
      {
        filters: { Object: String(parent), ObjectID: Number(id) },
        paging: { ...page, OrderBy: orderOf(OrderBy as readonly string[] | null) },
      },
      async (batch) => {
        const detailed = page['SqlColumns'] ? batch : await detailedList(ctx, messagesOf(batch));
        await take(detailed as ListAnswer<object> as ListAnswer);
      },
    ),
  errors: ['BAD_PARAMETER'],
  source: '1-core §1, §4',
});

export const run = handle(operation, async (ctx, { Object: parent, ObjectID, OrderBy, ...page }) => {
  const filters = { Object: ctx.registry.requireRecord(parent, 'Object').name, ObjectID };
  const list = await searchRecords(ctx, ctx.record, filters, { ...page, OrderBy: orderOf(OrderBy) });
  return (page.SqlColumns ?? []).length > 0 ? list : detailedList(ctx, messagesOf(list));
});

/** Types the rows of a search of messages, which has all columns. */
function messagesOf(list: ListAnswer<object>): ListAnswer<Row<typeof message>> {
  return list as ListAnswer<Row<typeof message>>;
}

function orderOf(sent: readonly string[] | null | undefined): readonly string[] {
  return sent && sent.length > 0 ? sent : ['-CreatedDate', '-MessageID'];
}
