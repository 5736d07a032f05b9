import { errorLogMonths, importLogMonths, securityLogMonths } from '../../kernel/declare/core-settings.ts';
import { IDEMPOTENCY_HOURS } from '../../kernel/door/idempotency.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import type { SettingDefinition } from '../../kernel/declare/setting.ts';
import { messageIsGone } from '../shared/pgboss-sql.ts';
import { deleteBefore, deleteWhere, monthsAgo } from './delete-by-age.ts';
import { dropHistory, makePartitions } from './history-partitions.ts';

/** A housekeeping task. */
export interface Task {
  readonly name: string;
  readonly everyMinutes: number;
  /** Runs the task and returns how many rows (or partitions) it created or removed. Idempotent. */
  readonly run: (platform: Platform) => Promise<number>;
}

/** Claims of queued calls younger than this are skipped: their messages cannot have been deleted yet. */
const QUEUED_CLAIM_DAYS = 7;
/** All tasks, in the order in which a starting scheduler runs them. */
export const tasks: readonly Task[] = [
  { name: 'history partitions', everyMinutes: 60, run: makePartitions },
  { name: 'expired idempotency answers', everyMinutes: 10, run: deleteExpiredAnswers },
  { name: 'answers of deleted messages', everyMinutes: 60, run: deleteQueuedAnswers },
  {
    name: 'rate limit minutes',
    everyMinutes: 10,
    run: (platform) => deleteBefore(platform, 'ratelimit', 'minute', hoursAgo(platform, 1)),
  },
  { name: 'sign-in failure windows', everyMinutes: 10, run: deleteSignInFailures },
  { name: 'history past its time', everyMinutes: 60, run: dropHistory },
  {
    name: 'security log past its time',
    everyMinutes: 360,
    run: (platform) => deleteLog(platform, 'securitylog', securityLogMonths),
  },
  {
    name: 'error log past its time',
    everyMinutes: 360,
    run: (platform) => deleteLog(platform, 'errorlog', errorLogMonths),
  },
  {
    name: 'import log past its time',
    everyMinutes: 360,
    run: (platform) => deleteLog(platform, 'importlog', importLogMonths),
  },
  {
    name: 'rows of batches past their time',
    everyMinutes: 360,
    run: (platform) =>
      deleteLog(platform, 'importfilequeue', importLogMonths, 'coalesce(successdate, failuredate) is not null'),
  },
];

function hoursAgo(platform: Platform, hours: number): string {
  return new Date(platform.clock.milliseconds() - hours * 3_600_000).toISOString();
}

function deleteExpiredAnswers(platform: Platform): Promise<number> {
  return deleteWhere(platform, 'idempotency', 'messageid is null and createddate < $1::timestamptz', [
    hoursAgo(platform, IDEMPOTENCY_HOURS),
  ]);
}

/**
 * Deletes the claim of a queued call when no row of its message is left: neither the job nor a dead letter can come
 * back then.
 */
function deleteQueuedAnswers(platform: Platform): Promise<number> {
  return deleteWhere(
    platform,
    'idempotency',
    `messageid is not null and createddate < $1::timestamptz and ${messageIsGone}`,
    [hoursAgo(platform, QUEUED_CLAIM_DAYS * 24)],
  );
}

/** Deletes sign-in failure windows that ended a while ago; recent ones are kept for inspection. */
function deleteSignInFailures(platform: Platform): Promise<number> {
  const window = platform.registry.settings.find((s) => s.name === 'SignInWindowMinutes') as
    SettingDefinition<number> | undefined;
  const minutes = window === undefined ? 60 : platform.settings.get(window);
  return deleteBefore(platform, 'signinfailure', 'windowstart', hoursAgo(platform, 24 + (2 * minutes) / 60));
}

function deleteLog(
  platform: Platform,
  table: string,
  setting: SettingDefinition<number>,
  ended = 'true',
): Promise<number> {
  const months = platform.settings.get(setting);
  return months > 0
    ? deleteWhere(platform, table, `createddate < $1::timestamptz and ${ended}`, [monthsAgo(platform, months)])
    : Promise.resolve(0);
}
