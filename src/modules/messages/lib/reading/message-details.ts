import type { ListAnswer, Row, Shape } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { computed, f } from '../../../../kernel/declare/field.ts';
import type { message } from '../../message/message.record.ts';

/** Most recipients that are listed of one message; all are counted. */
const RECIPIENTS_MAX = 20;
/** Most linked documents that are listed of one message. */
const FILES_MAX = 200;

/** What a list of messages adds to each. */
const detailColumns = {
  Direction: computed(
    f.choice(['Received', 'Sent', 'Note'], { doc: 'Whether it was received, sent from here, or is a note.' }),
  ),
  Unread: computed(f.boolean({ doc: 'Whether the caller received it and has not read it.' })),
  RecipientCount: computed(f.integer({ doc: 'How many recipients it has.' })),
  RecipientStates: computed(f.json({ doc: 'How many recipients are in each state, by state.' })),
  Recipients: computed(
    f.json({
      doc:
        `The first ${RECIPIENTS_MAX} recipients: lists of \`ID\`, \`Address\`, \`Name\`, \`Category\`, \`Status\`, ` +
        '`Detail`, `SentDate`, `ReceivedDate` and `ReadDate`.',
    }),
  ),
  FileCount: computed(f.integer({ doc: 'How many documents it has.' })),
  LinkedFileIDs: computed(
    f.json({ doc: `The first ${FILES_MAX} documents of other records that were sent with it: a list of IDs.` }),
  ),
};

/** The columns of {@link MessageDetails}. */
export const detailShape: Shape = Object.entries(detailColumns).map(([name, field]) => ({ name, field }));

/** What a list of messages adds to each. */
export interface MessageDetails {
  readonly Direction: 'Received' | 'Sent' | 'Note';
  readonly Unread: boolean;
  readonly RecipientCount: number;
  readonly RecipientStates: unknown;
  readonly Recipients: unknown;
  readonly FileCount: number;
  readonly LinkedFileIDs: unknown;
}

/** Returns the details of messages by ID, as the caller sees them. */
async function messageDetails(ctx: Context, ids: readonly number[]): Promise<ReadonlyMap<number, MessageDetails>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db.query<MessageDetails & { readonly id: number }>(
    `select m.messageid as id,
       case when m.mailinboundid is not null or own.is then 'Received' when m.sentdate is not null then 'Sent'
         else 'Note' end as "Direction",
       (m.mailinboundid is not null or own.is) and not exists (
         select from messageread r where r.messageid = m.messageid and r.personid = $2::bigint) as "Unread",
       coalesce(r.count, 0)::integer as "RecipientCount", r.states as "RecipientStates", r.listed as "Recipients",
       (select count(*)::integer from attachment a where a.object = 'Message' and a.objectid = m.messageid)
         + (select count(*)::integer from objectlink l where l.primaryobject = 'Message'
           and l.primaryobjectid = m.messageid and l.linkedobject = 'Attachment') as "FileCount",
       (select jsonb_agg(l.linkedobjectid) from (
         select linkedobjectid from objectlink
         where primaryobject = 'Message' and primaryobjectid = m.messageid and linkedobject = 'Attachment'
         order by linkedobjectid limit ${FILES_MAX}) l) as "LinkedFileIDs"
     from message m
     cross join lateral (select exists (
       select from messagerecipient n where n.messageid = m.messageid and n.personid = $2::bigint) as is) own
     left join lateral (
       select sum(s.n) as count, jsonb_object_agg(coalesce(s.status, 'None'), s.n) as states,
         (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('ID', f.messagerecipientid, 'Address',
             f.messagerecipient, 'Name', f.name, 'Category', f.category, 'Status', f.status, 'Detail', f.detail,
             'SentDate', f.sentdate, 'ReceivedDate', f.receiveddate, 'ReadDate', f.readdate))
             order by f.category, f.messagerecipientid)
          from (select * from messagerecipient l where l.messageid = m.messageid
                order by l.category, l.messagerecipientid limit ${RECIPIENTS_MAX}) f) as listed
       from (select status, count(*) as n from messagerecipient c where c.messageid = m.messageid group by status) s
     ) r on true
     where m.messageid = any($1::bigint[])`,
    [arrayLiteral(ids), ctx.user.personId],
  );
  return new Map(rows.map(({ id, ...details }) => [id, details]));
}

/** Returns rows of messages with their details. A row that is gone since is left out. */
export async function withDetails<R extends Row<typeof message>>(
  ctx: Context,
  rows: readonly R[],
): Promise<readonly (R & MessageDetails)[]> {
  const details = await messageDetails(
    ctx,
    rows.map(({ MessageID }) => MessageID),
  );
  return rows.flatMap((row) => {
    const own = details.get(row.MessageID);
    return own ? [{ ...row, ...own }] : [];
  });
}

/** Returns a list of messages with their details. */
export async function detailedList(
  ctx: Context,
  { name, shape, rows }: ListAnswer<Row<typeof message>>,
): Promise<ListAnswer<Row<typeof message> & MessageDetails>> {
  return { kind: 'list', name, shape: [...shape, ...detailShape], rows: await withDetails(ctx, rows) };
}
