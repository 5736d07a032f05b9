import type { AnswerRowFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import type { PageCall } from '../page-call.ts';
import { readLinkUses, type LinkUse } from './secure-links.ts';

/** Messages of a conversation that a page shows, the newest; files of all of them. */
const MESSAGES_MAX = 100;
const FILES_MAX = 500;

export type MessageRow = RowNamed<'Message'>;
export type FileRow = RowNamed<'Attachment'>;
type ThreadRow = AnswerRowFor<'message/thread'>;

/** A recipient with what became of the message there. */
export interface Recipient {
  readonly ID: number;
  readonly Address?: string;
  readonly Name?: string;
  /** 0 To, 1 Cc, 2 Bcc, 3 Reply-To. */
  readonly Category?: number;
  readonly Status?: string;
  readonly Detail?: string;
  readonly SentDate?: string;
  readonly ReceivedDate?: string;
  readonly ReadDate?: string;
}

/** A message with what belongs to it. */
export interface ThreadMessage {
  readonly row: ThreadRow;
  /** When it was received or sent. */
  readonly at: string;
  readonly isReceived: boolean;
  readonly isUnread: boolean;
  /** The first recipients; `row.RecipientCount` says how many there are. */
  readonly recipients: readonly Recipient[];
  readonly files: readonly FileRow[];
  /** The uses of its secure links; undefined where it has none. */
  readonly linkUses: readonly LinkUse[] | undefined;
}

/** A conversation: its messages in their order. */
export interface Thread {
  readonly id: number;
  readonly subject: string;
  readonly messages: readonly ThreadMessage[];
  readonly object: string | null;
  readonly objectId: number | null;
}

/** Reads the conversation of a message. @throws NOT_FOUND for a message that the user does not see */
export async function readThread(call: PageCall, messageId: number): Promise<Thread> {
  const { answer } = await call.call('message/thread', { ID: messageId });
  const rows = answer.rows.slice(-MESSAGES_MAX);
  const secure = rows.filter(({ SecureDelivery, MailInboundID }) => SecureDelivery === true && MailInboundID === null);
  const [files, uses] = await Promise.all([
    readFiles(call, rows),
    Promise.all(secure.map(async ({ MessageID: id }) => [id, await readLinkUses(call, id)] as const)),
  ]);
  const linkUses = new Map(uses);
  const messages = rows.map((row): ThreadMessage => ({
    row,
    at: row.ReceivedDate ?? row.SentDate ?? row.CreatedDate,
    isReceived: row.MailInboundID !== null,
    isUnread: row.Unread,
    recipients: (row.Recipients ?? []) as readonly Recipient[],
    files: files.get(row.MessageID) ?? [],
    linkUses: linkUses.get(row.MessageID),
  }));
  const filed = rows.find(({ ObjectID }) => ObjectID !== null);
  return {
    id: rows[0]?.ThreadID ?? rows[0]?.MessageID ?? messageId,
    subject: (rows[0]?.Message ?? '').trim() || 'No subject',
    messages,
    object: filed?.Object ?? null,
    objectId: filed?.ObjectID ?? null,
  };
}

/** Reads the files of messages: their own documents, and those of the record that were sent with them. */
async function readFiles(call: PageCall, rows: readonly ThreadRow[]): Promise<ReadonlyMap<number, readonly FileRow[]>> {
  const withFiles = rows.filter(({ FileCount }) => FileCount > 0);
  if (withFiles.length === 0 || !call.may('attachment/search')) return new Map();
  const common = { OrderBy: 'AttachmentID', DisplaySize: FILES_MAX, RecordCount: 'false' } as const;
  const linkedIds = new Map(withFiles.map((row) => [row.MessageID, (row.LinkedFileIDs ?? []) as readonly number[]]));
  const sent = [...new Set([...linkedIds.values()].flat())].slice(0, FILES_MAX);
  const [belonging, linked] = await Promise.all([
    call.call('attachment/search', {
      Object: 'Message',
      ObjectID: withFiles.map(({ MessageID }) => MessageID).join(','),
      ...common,
    }),
    sent.length === 0 ? undefined : call.call('attachment/search', { AttachmentID: sent.join(','), ...common }),
  ]);
  const own = Map.groupBy(belonging.answer.rows as readonly FileRow[], ({ ObjectID }) => ObjectID ?? 0);
  const byId = new Map((linked?.answer.rows ?? []).map((row): [number, FileRow] => [row.AttachmentID, row]));
  return new Map(
    [...linkedIds].map(([id, ids]) => [id, [...(own.get(id) ?? []), ...ids.flatMap((each) => byId.get(each) ?? [])]]),
  );
}
