import type { Row, Shape } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { columnList, fromOf } from '../../../../kernel/database/sql.ts';
import { computed, f } from '../../../../kernel/declare/field.ts';
import { hasRemoteImage } from '../../../../lib/html-sanitizer/sanitize-html.ts';
import { message } from '../../message/message.record.ts';
import { detailShape, withDetails, type MessageDetails } from './message-details.ts';
import { foldQuotedText } from '../../../../lib/mail/quoted-text.ts';

/** Most messages of a conversation that are returned: the newest. */
const MESSAGES_MAX = 500;

const textColumns = {
  OwnText: computed(f.body({ doc: 'The text without what it quotes at its end.' })),
  QuotedText: computed(f.body({ doc: 'What the text quotes at its end.' })),
  HasRemoteImages: computed(f.boolean({ doc: 'Whether its HTML has pictures of other servers.' })),
};

/** The columns of a {@link ThreadMessage} beside those of the message. */
export const threadShape: Shape = [
  ...detailShape,
  ...Object.entries(textColumns).map(([name, field]) => ({ name, field })),
];

/** A message of a conversation. */
export interface ThreadMessage extends Row<typeof message>, MessageDetails {
  readonly OwnText: string;
  readonly QuotedText: string | null;
  readonly HasRemoteImages: boolean;
}

/** Returns the messages of a conversation that the caller sees, oldest first; of a long one the newest. */
export async function threadMessages(ctx: Context, threadId: number): Promise<readonly ThreadMessage[]> {
  const rows = await ctx.db.query<Row<typeof message>>(
    `select ${columnList(message.shown)} from ${fromOf(message)}
     where message.threadid = $1::bigint or message.messageid = $1::bigint
     order by coalesce(message.receiveddate, message.sentdate, message.createddate) desc, message.messageid desc
     limit ${MESSAGES_MAX}`,
    [threadId],
  );
  const detailed = await withDetails(ctx, rows.toReversed());
  return detailed.map((row) => {
    const { text, quoted } = foldQuotedText(row.BodyText ?? '');
    return {
      ...row,
      OwnText: text,
      QuotedText: quoted === '' ? null : quoted,
      HasRemoteImages: hasRemoteImage(row.BodyHTML ?? ''),
    };
  });
}
