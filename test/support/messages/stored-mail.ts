/** Messages as a mailbox and a mail server would have left them, written to the database. */
import type { TestPlatform } from '../platform.ts';

interface StoredMail {
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  /** The foreclosure on which it is filed. */
  readonly caseId?: number;
  /** The conversation that it continues. */
  readonly threadId?: number;
  /** Minutes before now. */
  readonly minutesAgo?: number;
}

/** Stores a message that a mailbox received. Returns its ID. */
export async function receivedMail(
  p: TestPlatform,
  of: StoredMail & {
    readonly from?: string;
    readonly fromName?: string;
    readonly to?: string;
    readonly filedBy?: string;
    readonly filedDetail?: string;
    /** Whoever received it; a firm sees what its users created. */
    readonly personId?: number;
  },
): Promise<number> {
  const { from = 'arowe@rowelaw.example', fromName = 'Anita Rowe', to = 'office@office.example' } = of;
  const [box] = await p.platform.store.query<{ id: number }>(
    `with known as (select mailinboundid as id from mailinbound order by mailinboundid limit 1), made as (
       insert into mailinbound (mailinbound, mailinboundtype, active)
       select 'Office', 'ImapReceiver', false where not exists (select from known) returning mailinboundid as id)
     select id from known union all select id from made`,
  );
  const id = await insert(p, of, {
    status: of.caseId === undefined ? 'Unfiled' : 'Received',
    fromAddress: from,
    fromName,
    mailInboundId: box?.id ?? 0,
    ...(of.personId !== undefined && { personId: of.personId }),
    filedBy: of.filedBy ?? null,
    filedDetail: of.filedDetail ?? null,
  });
  await addRecipient(p, { messageId: id, address: to });
  return id;
}

/** Stores a message that a user sent. Returns its ID. */
export async function sentMail(p: TestPlatform, of: StoredMail & { readonly personId: number }): Promise<number> {
  const id = await insert(p, of, { status: 'Sent', personId: of.personId });
  await addRecipient(p, { messageId: id, address: 'arowe@rowelaw.example', name: 'Anita Rowe', status: 'Sent' });
  return id;
}

/** Adds a recipient to a stored message. */
export async function addRecipient(
  p: TestPlatform,
  of: {
    readonly messageId: number;
    readonly address: string;
    readonly name?: string;
    readonly status?: string;
    readonly detail?: string;
    readonly category?: number;
  },
): Promise<void> {
  await p.platform.store.query(
    `insert into messagerecipient (messageid, messagerecipient, name, status, detail, category)
     values ($1::bigint, $2::text, $3::text, $4::text, $5::text, $6::integer)`,
    [of.messageId, of.address, of.name ?? null, of.status ?? null, of.detail ?? null, of.category ?? 0],
  );
}

interface StoredSource {
  readonly status: string;
  readonly fromAddress?: string;
  readonly fromName?: string;
  readonly mailInboundId?: number;
  readonly personId?: number;
  readonly filedBy?: string | null;
  readonly filedDetail?: string | null;
}

async function insert(p: TestPlatform, of: StoredMail, source: StoredSource): Promise<number> {
  const { subject, text = `Text of ${subject}.`, html = null, caseId = null, threadId = null, minutesAgo = 0 } = of;
  const at = new Date(p.platform.clock.milliseconds() - minutesAgo * 60_000).toISOString();
  const isReceived = source.mailInboundId !== undefined;
  const [row] = await p.platform.store.query<{ id: number }>(
    `insert into message (message, bodytext, bodyhtml, object, objectid, threadid, status, messagetype, sentdate,
       receiveddate, mailinboundid, fromaddress, fromname, createdpersonid, filedby, fileddetail)
     values ($1::text, $2::text, $3::text, $4::text, $5::bigint, $6::bigint, $7::text, 'Email', $8::timestamptz,
       $9::timestamptz, $10::bigint, $11::text, $12::text, $13::bigint, $14::text, $15::text)
     returning messageid as id`,
    [
      subject,
      text,
      html,
      caseId === null ? null : 'Foreclosure',
      caseId,
      threadId,
      source.status,
      at,
      isReceived ? at : null,
      source.mailInboundId ?? null,
      source.fromAddress ?? null,
      source.fromName ?? null,
      source.personId ?? null,
      source.filedBy ?? null,
      source.filedDetail ?? null,
    ],
  );
  const id = row?.id ?? 0;
  if (threadId === null)
    await p.platform.store.query('update message set threadid = messageid where messageid = $1::bigint', [id]);
  return id;
}
