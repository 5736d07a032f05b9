import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { deleteBefore } from '../database/delete-by-age.ts';
import { arrayLiteral, type Db } from '../database/store.ts';
import { PlatformError } from '../door/errors.ts';
import type { Platform } from '../ports/platform.ts';
import type { Clock } from '../time/clock.ts';
import { waitText } from '../time/wait-text.ts';

/** What attempts are counted for, such as an account at an address, and how many failures a window allows. */
export interface AttemptLimit {
  readonly subject: string;
  readonly most: number;
}

/** The clock that attempts are counted by, and the minutes in which a full count is forgotten. */
export interface AttemptWindow {
  readonly clock: Clock;
  readonly minutes: number;
}

/** The outcome of counting an attempt before it is made. */
export interface CountedAttempt {
  /** The subjects that refuse the attempt; none if it may be made. */
  readonly refusedBy: readonly string[];
  /** The subjects whose limit this attempt reaches: the next one must wait. */
  readonly reached: readonly string[];
  /** How long to wait, in seconds, if it is refused. */
  readonly waitSeconds: number;
}

/** Reached limits in a row after which the wait no longer doubles. */
const STREAK_MAX = 20;

const refused = 'coalesce(s.waituntil > excluded.changed, false)';
/** What is left of the level, plus this attempt. It does not sink while attempts must wait. */
const sunk = `extract(epoch from excluded.changed - greatest(s.changed, s.waituntil)) / $4::integer * excluded.most`;
const raised = `greatest(0, s.level - greatest(0, ${sunk})) + 1`;
// Attempts take time, in which the level sinks a little: half an attempt less is full too.
const isFull = `${raised} > excluded.most - 0.5`;
const streak = `case when ${isFull} then least(s.streak + 1, ${STREAK_MAX})
  when ${raised} < excluded.most / 2.0 then 0 else s.streak end`;
const waitAfter = (streakSql: string): string =>
  `make_interval(secs => least($4::integer, 60 * 2 ^ greatest(0, (${streakSql}) - 1)))`;

const COUNT = `
  insert into signinattempt as s (subject, most, level, changed, streak, waituntil, admitted)
  select decode(l.subject, 'hex'), l.most, 1, $3::timestamptz, (l.most <= 1)::integer,
    case when l.most <= 1 then $3::timestamptz + ${waitAfter('1')} end, true
  from unnest($1::text[], $2::integer[]) as l (subject, most)
  order by 1
  on conflict (subject) do update set
    most = excluded.most,
    level = case when ${refused} then s.level else least(${raised}, 2 * excluded.most) end,
    changed = case when ${refused} then s.changed else excluded.changed end,
    streak = case when ${refused} then s.streak else ${streak} end,
    waituntil = case when ${refused} then s.waituntil when ${isFull} then excluded.changed + ${waitAfter(streak)} end,
    admitted = not ${refused}
  returning encode(subject, 'hex') as subject, admitted, waituntil`;

/**
 * Counts an attempt for several subjects before it is made, in one statement: concurrent attempts are counted like
 * consecutive ones, over all processes. If one subject refuses the attempt, it counts for none.
 *
 * The level of a subject sinks evenly, from the limit to zero in a window. An attempt that reaches the limit makes the
 * next one wait for a minute, and for twice as long each time that this happens again, up to the length of the window.
 * The level does not sink meanwhile: who only waits gets one more attempt.
 * Subjects are stored hashed.
 */
export async function countAttempt(
  db: Db,
  limits: readonly AttemptLimit[],
  { clock, minutes }: AttemptWindow,
): Promise<CountedAttempt> {
  const subjects = new Map(limits.map(({ subject }) => [hashOf(subject), subject]));
  const rows = await db.query<{ subject: string; admitted: boolean; waituntil: string | null }>(COUNT, [
    arrayLiteral([...subjects.keys()]),
    arrayLiteral(limits.map(({ most }) => String(Math.max(1, most)))),
    clock.now(),
    Math.max(1, minutes) * 60,
  ]);
  const named = (chosen: typeof rows): string[] => chosen.flatMap(({ subject }) => subjects.get(subject) ?? []);
  const refusing = rows.filter(({ admitted }) => !admitted);
  const admitting = rows.filter(({ admitted }) => admitted);
  const refusedBy = named(refusing);
  if (refusedBy.length > 0) await forgiveAttempt(db, named(admitting));
  const waits = refusing.map(({ waituntil }) => Date.parse(waituntil ?? '') - clock.milliseconds());
  return {
    refusedBy,
    reached: refusedBy.length > 0 ? [] : named(admitting.filter(({ waituntil }) => waituntil !== null)),
    waitSeconds: Math.max(1, Math.ceil(Math.max(0, ...waits) / 1000)),
  };
}

/**
 * Takes back an attempt that was counted, because it succeeded or was not made. `forget`: subjects whose earlier
 * failures are forgotten too.
 */
export async function forgiveAttempt(
  db: Db,
  subjects: readonly string[],
  forget: readonly string[] = [],
): Promise<void> {
  if (subjects.length === 0) return;
  await db.query(
    `with locked as (
       select subject, subject = any(select decode(f, 'hex') from unnest($2::text[]) f) as forgotten
       from signinattempt
       where subject = any(select decode(t, 'hex') from unnest($1::text[]) t)
       order by subject
       for update)
     update signinattempt s
     set level = case when l.forgotten then 0 else greatest(0, s.level - 1) end,
       streak = case when l.forgotten then 0 when s.level - 1 > s.most - 0.5 then s.streak
         else greatest(0, s.streak - (s.waituntil is not null)::integer) end,
       waituntil = case when not l.forgotten and s.level - 1 > s.most - 0.5 then s.waituntil end
     from locked l
     where s.subject = l.subject`,
    [arrayLiteral(subjects.map(hashOf)), arrayLiteral(forget.map(hashOf))],
  );
}

/** Returns the error for a refused attempt. */
export function tooManyAttempts(waitSeconds: number, message = 'Too many failed sign-ins.'): PlatformError {
  return new PlatformError('TOO_MANY', {
    message: `${message} Try again in ${waitText(waitSeconds)}.`,
    details: { RetryAfterSeconds: waitSeconds },
  });
}

/** Returns the part of an address that one attacker has: an IPv4 address, or the /64 network of an IPv6 address. */
export function attackerNetwork(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%')[0] ?? '';
  if (!isIPv6(plain)) return plain;
  const [head = '', tail = ''] = plain.toLowerCase().split('::');
  const left = head.split(':').filter(Boolean);
  const right = tail.split(':').filter(Boolean);
  const zeros = plain.includes('::')
    ? Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
    : [];
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`;
}

function hashOf(subject: string): string {
  return createHash('sha256').update(subject).digest('hex');
}

/** Deletes counts that have not changed since an instant, and returns how many. */
export function deleteAttemptsBefore(platform: Platform, before: string): Promise<number> {
  return deleteBefore(platform, 'signinattempt', 'changed', before);
}
