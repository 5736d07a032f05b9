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
  /** Whether the mail says when it was sent; by default it does. */
  readonly isDated?: boolean;
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
    filedBy: of.filedBy,
    filedDetail: of.filedDetail,
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
  readonly filedBy?: string | undefined;
  readonly filedDetail?: string | undefined;
}

async function insert(p: TestPlatform, of: StoredMail, source: StoredSource): Promise<number> {
  const at = new Date(p.platform.clock.milliseconds() - (of.minutesAgo ?? 0) * 60_000).toISOString();
  const isReceived = source.mailInboundId !== undefined;
  const values = {
    message: of.subject,
    bodytext: of.text ?? `Text of ${of.subject}.`,
    bodyhtml: of.html,
    object: of.caseId === undefined ? undefined : 'Foreclosure',
    objectid: of.caseId,
    threadid: of.threadId,
    status: source.status,
    messagetype: 'Email',
    sentdate: of.isDated === false ? undefined : at,
    receiveddate: isReceived ? at : undefined,
    mailinboundid: source.mailInboundId,
    fromaddress: source.fromAddress,
    fromname: source.fromName,
    createdpersonid: source.personId,
    filedby: source.filedBy,
    fileddetail: source.filedDetail,
  };
  const columns = Object.keys(values).join(', ');
  const [row] = await p.platform.store.query<{ id: number }>(
    `insert into message (${columns})
     select ${columns} from jsonb_populate_record(null::message, $1::jsonb)
     returning messageid as id`,
    [JSON.stringify(values)],
  );
  const id = row?.id ?? 0;
  await p.platform.store.query(
    'update message set threadid = messageid where messageid = $1::bigint and threadid is null',
    [id],
  );
  return id;
}
