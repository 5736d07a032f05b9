import { errorLogMonths, historyMonths, securityLogMonths } from '../../kernel/core-settings.ts';
import { IDEMPOTENCY_HOURS } from '../../kernel/idempotency.ts';
import type { Platform } from '../../kernel/platform.ts';
import type { SettingDefinition } from '../../kernel/setting.ts';

/** A piece of housekeeping. */
export interface Task {
  readonly name: string;
  readonly everyMinutes: number;
  /** Does it and answers how many rows (or partitions) it made or removed. Doing it twice does no harm. */
  readonly run: (platform: Platform) => Promise<number>;
}

/** Rows that one statement deletes, so that none holds its locks for long. */
const BATCH_ROWS = 5_000;
/** Statements that one run makes; what is left waits for the next. */
const BATCHES_MAX = 200;
/** Claims of queued calls younger than this are not looked at: their messages cannot have been deleted yet. */
const QUEUED_CLAIM_DAYS = 7;
/** Months ahead for which history has a partition. */
const PARTITION_MONTHS_AHEAD = 2;

/** All housekeeping, in the order in which a starting scheduler does it. */
export const tasks: readonly Task[] = [
  { name: 'history partitions', everyMinutes: 360, run: makePartitions },
  { name: 'expired idempotency answers', everyMinutes: 10, run: deleteExpiredAnswers },
  { name: 'answers of deleted messages', everyMinutes: 60, run: deleteQueuedAnswers },
  { name: 'rate limit minutes', everyMinutes: 10, run: (platform) => deleteBefore(platform, 'ratelimit', 'minute', hoursAgo(platform, 1)) },
  { name: 'sign-in failure windows', everyMinutes: 10, run: deleteSignInFailures },
  { name: 'history past its time', everyMinutes: 360, run: dropHistory },
  { name: 'security log past its time', everyMinutes: 360, run: (platform) => deleteLog(platform, 'securitylog', securityLogMonths) },
  { name: 'error log past its time', everyMinutes: 360, run: (platform) => deleteLog(platform, 'errorlog', errorLogMonths) },
];

function hoursAgo(platform: Platform, hours: number): string {
  return new Date(platform.clock.milliseconds() - hours * 3_600_000).toISOString();
}

/** The first instant of the month that lies so many whole months back. */
function monthsAgo(platform: Platform, months: number): string {
  const now = new Date(platform.clock.milliseconds());
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString();
}

/** Deletes in batches what a condition on the table's rows finds. */
async function deleteWhere(platform: Platform, table: string, condition: string, values: readonly unknown[]): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    const rows = await platform.store.query(`delete from ${table} where ctid = any(array(select ctid from ${table} where ${condition} limit ${BATCH_ROWS})) returning 1`, values);
    deleted += rows.length;
    if (rows.length < BATCH_ROWS) break;
  }
  return deleted;
}

function deleteBefore(platform: Platform, table: string, column: string, before: string): Promise<number> {
  return deleteWhere(platform, table, `${column} < $1::timestamptz`, [before]);
}

function deleteExpiredAnswers(platform: Platform): Promise<number> {
  return deleteWhere(platform, 'idempotency', 'messageid is null and createddate < $1::timestamptz', [hoursAgo(platform, IDEMPOTENCY_HOURS)]);
}

/** The claim of a queued call goes when no row of its message is left: neither the job nor a dead letter can come back then. */
function deleteQueuedAnswers(platform: Platform): Promise<number> {
  const gone = `not exists (select from pgboss.queue q join pgboss.job j on j.name = q.name and j.id = idempotency.messageid)
    and not exists (select from pgboss.job j where j.source_root_id = idempotency.messageid)`;
  return deleteWhere(platform, 'idempotency', `messageid is not null and createddate < $1::timestamptz and ${gone}`, [hoursAgo(platform, QUEUED_CLAIM_DAYS * 24)]);
}

/** A window counts until it ends; the one before is kept a while for whoever looks into it. */
function deleteSignInFailures(platform: Platform): Promise<number> {
  const window = platform.registry.settings.find((s) => s.name === 'SignInWindowMinutes') as SettingDefinition<number> | undefined;
  const minutes = window === undefined ? 60 : platform.settings.get(window);
  return deleteBefore(platform, 'signinfailure', 'windowstart', hoursAgo(platform, 24 + (2 * minutes) / 60));
}

function deleteLog(platform: Platform, table: string, setting: SettingDefinition<number>): Promise<number> {
  const months = platform.settings.get(setting);
  return months > 0 ? deleteBefore(platform, table, 'createddate', monthsAgo(platform, months)) : Promise.resolve(0);
}

const partitionsText = `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'history'::regclass and c.relname ~ '^history_[0-9]{6}$'`;

/** History of a month without a partition goes into the default one, where it is slower to read and to delete. */
async function makePartitions(platform: Platform): Promise<number> {
  const before = await platform.store.query(partitionsText);
  const today = platform.clock.now().slice(0, 10);
  for (let ahead = 0; ahead <= PARTITION_MONTHS_AHEAD; ahead++) {
    await platform.store.query(`select casewright_history_partition(($1::date + make_interval(months => $2::integer))::date)`, [today, ahead]);
  }
  return (await platform.store.query(partitionsText)).length - before.length;
}

/** Whole months go by dropping their partition, which costs nothing; what lies in the default one is deleted row by row. */
async function dropHistory(platform: Platform): Promise<number> {
  const months = platform.settings.get(historyMonths);
  if (months <= 0) return 0;
  const first = monthsAgo(platform, months);
  const oldest = `history_${first.slice(0, 4)}${first.slice(5, 7)}`;
  const past = (await platform.store.query<{ name: string }>(partitionsText)).filter(({ name }) => name < oldest);
  for (const { name } of past) await platform.store.query(`drop table ${name}`);
  return past.length + (await deleteBefore(platform, 'history_default', 'at', first));
}
