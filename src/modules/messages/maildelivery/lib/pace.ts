import { MAIL_OUTBOUND } from '../../../../contracts/mail-outbound.ts';
import { TEXT_OUTBOUND } from '../../../../contracts/text-outbound.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { mailLease } from './mail-lease.ts';
import { queueDeliveries } from './queue-deliveries.ts';

const MINUTE_MILLISECONDS = 60_000;
/** How late a mail may use its turn. After that the server may have taken others, and it gets another one. */
const LATE_MILLISECONDS_MAX = 10_000;
/** Turns within this time are queued together. */
const QUEUED_TOGETHER_MILLISECONDS = 1_000;

interface DueMail {
  readonly id: number;
  readonly type: string | null;
  readonly provider: string | null;
  readonly slot: string | null;
}

/** A mail server with a limit, and its mails that have no turn yet. */
interface PacedServer {
  readonly name: string;
  readonly perMinute: number;
  readonly mails: DueMail[];
}

/**
 * Gives turns to due mails whose server takes only so many per minute, counted over all processes. Returns the mails
 * that can be sent now: those of other servers, and those whose turn it is. The others are put off until their turn,
 * which costs them no attempt. `isDue` is the condition on a due mail, with the time as `$2`.
 */
export async function takeTurns(own: Context, ids: readonly number[], isDue: string): Promise<readonly number[]> {
  if (!hasLimits(own)) return ids;
  const now = own.clock.milliseconds();
  const due = await own.db.query<DueMail>(
    `select maildeliveryid as id, maildeliverytype as "type", provider, slotdate as slot
     from maildelivery
     where maildeliveryid = any($1::bigint[]) and ${isDue}
     order by maildeliveryid
     for update`,
    [arrayLiteral(ids), own.clock.now()],
  );
  const servers = new Map<string, PacedServer>();
  const ready: number[] = [];
  for (const mail of due) {
    const server = serverOf(own, mail);
    if (server === undefined || hasTurn(mail, now)) ready.push(mail.id);
    else (servers.get(server.name) ?? addTo(servers, server)).mails.push(mail);
  }
  for (const name of [...servers.keys()].sort()) ready.push(...(await giveTurns(own, servers.get(name), now)));
  return ready;
}

function addTo(servers: Map<string, PacedServer>, server: Omit<PacedServer, 'mails'>): PacedServer {
  const added = { ...server, mails: [] };
  servers.set(server.name, added);
  return added;
}

function hasTurn({ slot }: DueMail, now: number): boolean {
  return slot !== null && Date.parse(slot) <= now && Date.parse(slot) > now - LATE_MILLISECONDS_MAX;
}

/** Whether any mail server has a limit; without one nothing is read. */
function hasLimits(ctx: Context): boolean {
  return ['Email', 'Text'].some((type) => limitsOf(ctx, type).some(({ perMinute }) => perMinute !== undefined));
}

/** Returns the servers of mails or of text messages, the default first, with their limits. */
function limitsOf(
  { providers }: Context,
  type: string | null,
): readonly { readonly name: string; readonly perMinute: number | undefined }[] {
  return type === 'Text'
    ? providers
        .names(TEXT_OUTBOUND)
        .map((name) => ({ name, perMinute: providers.get(TEXT_OUTBOUND, name).messagesPerMinute }))
    : providers
        .names(MAIL_OUTBOUND)
        .map((name) => ({ name, perMinute: providers.get(MAIL_OUTBOUND, name).messagesPerMinute }));
}

/** Returns the server of a mail and its limit; undefined without a limit or a server. */
function serverOf(ctx: Context, { type, provider }: DueMail): Omit<PacedServer, 'mails'> | undefined {
  const servers = limitsOf(ctx, type);
  const server =
    provider === null ? servers[0] : servers.find(({ name }) => name.toLowerCase() === provider.toLowerCase());
  return server?.perMinute === undefined ? undefined : { name: server.name.toLowerCase(), perMinute: server.perMinute };
}

/** Reserves the server's next turns for mails; returns those whose turn is now. */
async function giveTurns(own: Context, server: PacedServer | undefined, now: number): Promise<readonly number[]> {
  if (!server) return [];
  const { name, perMinute, mails } = server;
  const interval = MINUTE_MILLISECONDS / perMinute;
  const [row] = await own.db.query<{ next: string }>(
    `insert into mailpace as p (server, nextslot)
     values ($1::text, $2::timestamptz + make_interval(secs => $3::double precision))
     on conflict (server) do update
       set nextslot = greatest(p.nextslot, $2::timestamptz) + make_interval(secs => $3::double precision)
     returning nextslot as next`,
    [name, new Date(now).toISOString(), (interval * mails.length) / 1_000],
  );
  const first = Date.parse(row?.next ?? '') - interval * mails.length;
  const turns = mails.map((mail, n) => ({ mail, at: first + interval * n }));
  const later = turns.filter(({ at }) => at > now);
  await putOff(
    own,
    later.map(({ mail, at }) => ({ id: mail.id, at: new Date(at).toISOString() })),
  );
  for (const [second, members] of Map.groupBy(later, ({ at }) => Math.ceil(at / QUEUED_TOGETHER_MILLISECONDS)))
    await queueDeliveries(
      own,
      members.map(({ mail }) => mail.id),
      new Date(second * QUEUED_TOGETHER_MILLISECONDS).toISOString(),
    );
  return turns.filter(({ at }) => at <= now).map(({ mail }) => mail.id);
}

/** Makes mails due at their turns. */
async function putOff(own: Context, turns: readonly { readonly id: number; readonly at: string }[]): Promise<void> {
  if (turns.length === 0) return;
  await own.db.query(
    `update maildelivery
     set status = 'Waiting', ${mailLease.end()}, nextattempt = t.at, slotdate = t.at, updateddate = $2::timestamptz
     from jsonb_to_recordset($1::text::jsonb) as t (id bigint, at timestamptz)
     where maildeliveryid = t.id`,
    [JSON.stringify(turns), own.clock.now()],
  );
}
