import type { MailPlace } from '../../../../contracts/mail-inbound.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError, namesHint } from '../../../../kernel/door/errors.ts';
import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';

/** A saved mailbox, as receiving needs it. */
export interface Mailbox {
  readonly id: number;
  /** Its account: the name of its provider. */
  readonly name: string;
  readonly host: string;
  /** The firm whose mailbox it is; null for the installation's own. */
  readonly organizationId: number | null;
  /** The servers whose checks of senders count, by commas; empty for its host. */
  readonly authenticationServer: string | null;
  /** Which senders count as evidence; those that are proven if it is empty. */
  readonly senderProof: 'Required' | 'NotFailed' | null;
  /** The servers that checked the newest mails, as stored. */
  readonly checkingServers: string | null;
  /** When the first mail with a header of the mailbox's server was received. */
  readonly senderChecksSince: string | null;
  readonly since: string | null;
  readonly createdDate: string;
  /** Counts the changes of its configuration; a look changes nothing of it. */
  readonly version: number;
  /** The newest mail received, if there is one. */
  readonly last: MailPlace | undefined;
}

interface MailboxRow extends Omit<Mailbox, 'last'> {
  readonly folder: string | null;
  readonly uidValidity: string | null;
  readonly lastUid: string | null;
}

const COLUMNS = `mailinboundid as id, mailinbound as name, coalesce(host, '') as host,
  organizationid as "organizationId", authenticationserver as "authenticationServer",
  senderproof as "senderProof", checkingservers as "checkingServers",
  sendercheckssince as "senderChecksSince", since, createddate as "createdDate", version, folder,
  uidvalidity as "uidValidity", lastuid as "lastUid"`;

/** Returns the active mailboxes in their order. */
export async function activeMailboxes(db: Db): Promise<readonly Mailbox[]> {
  const rows = await db.query<MailboxRow>(
    `select ${COLUMNS} from mailinbound where active order by sequence nulls last, mailinboundid`,
  );
  return rows.map(toMailbox);
}

/** Returns active mailboxes by name, in the order of the names. Throws BAD_PARAMETER for another name. */
export async function namedMailboxes(ctx: Context, names: readonly string[]): Promise<readonly Mailbox[]> {
  const active = await activeMailboxes(ctx.db);
  const found = names.map((name) => {
    const mailbox = active.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (mailbox) return mailbox;
    const hint = namesHint(
      name,
      active.map((one) => one.name),
    );
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Account',
      message: `Account: there is no active mailbox "${name.slice(0, 100)}".${hint}`,
    });
  });
  return [...new Map(found.map((mailbox) => [mailbox.id, mailbox])).values()];
}

/** Returns a mailbox by its ID, active or not. */
export async function findMailbox(db: Db, id: number): Promise<Mailbox | undefined> {
  const [row] = await db.query<MailboxRow>(
    `select ${COLUMNS} from mailinbound where mailinboundid = any($1::bigint[])`,
    [arrayLiteral([id])],
  );
  return row && toMailbox(row);
}

function toMailbox({ folder, uidValidity, lastUid, ...row }: MailboxRow): Mailbox {
  const last =
    uidValidity === null || lastUid === null ? undefined : { folder: folder ?? 'INBOX', uidValidity, uid: lastUid };
  return { ...row, last };
}

/** How the last look at a mailbox ended. */
export interface LookOutcome {
  readonly state: 'Idle' | 'Failed' | 'SignInNeeded';
  /** Why it failed. */
  readonly error: string | null;
  /** Mails on the server that are not received yet; undefined where that is not known. */
  readonly behind?: number;
  /** The newest mail before which all have been received. */
  readonly last?: MailPlace | undefined;
}

/** Longest stored error. */
const ERROR_CHARACTERS_MAX = 500;

/** Stores how a look at a mailbox ended. It is no change of its configuration: no version, no history. */
export async function recordLook(ctx: Context, { id }: Mailbox, outcome: LookOutcome): Promise<void> {
  const { state, error, behind, last } = outcome;
  await ctx.db.query(
    `update mailinbound
     set lastlook = $2::timestamptz,
       lastsuccess = case when $4::text is null then $2::timestamptz else lastsuccess end,
       lasterror = $4::text,
       state = case when state = 'Watching' and $3::text = 'Idle' then state else $3::text end,
       behind = coalesce($5::integer, behind), uidvalidity = coalesce($6::text, uidvalidity),
       lastuid = coalesce($7::text, lastuid)
     where mailinboundid = $1::bigint`,
    [
      id,
      ctx.clock.now(),
      state,
      error?.slice(0, ERROR_CHARACTERS_MAX) ?? null,
      behind ?? null,
      last?.uidValidity ?? null,
      last?.uid ?? null,
    ],
  );
}

/** Stores which servers checked the newest mails, and whether the mailbox's own has checked one of them. */
export async function recordSenderChecks(
  ctx: Context,
  { id }: Mailbox,
  checkingServers: string,
  isChecked: boolean,
): Promise<void> {
  await ctx.db.query(
    `update mailinbound
     set checkingservers = $2::text,
       sendercheckssince = coalesce(sendercheckssince, case when $3::boolean then $4::timestamptz end)
     where mailinboundid = $1::bigint`,
    [id, checkingServers, isChecked, ctx.clock.now()],
  );
}

/** Stores whether a process waits for mail in a mailbox; one whose last look failed keeps that state. */
export async function recordWatching(db: Db, { id }: Mailbox, isWatched: boolean): Promise<void> {
  await db.query(
    `update mailinbound set state = $2::text where mailinboundid = $1::bigint and coalesce(state, 'Idle') = $3::text`,
    isWatched ? [id, 'Watching', 'Idle'] : [id, 'Idle', 'Watching'],
  );
}
