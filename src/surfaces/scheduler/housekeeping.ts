import { deleteOldChanges } from '../../kernel/changes/read-changes.ts';
import { hoursAgo } from '../../kernel/database/delete-by-age.ts';
import type { SettingDefinition } from '../../kernel/declare/setting.ts';
import { deleteOldErrors } from '../../kernel/door/error-log.ts';
import { deleteExpiredAnswers, deleteQueuedAnswers } from '../../kernel/door/expired-answers.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { dropHistory, makePartitions } from '../../kernel/records/history/history-partitions.ts';
import { deleteOldSlowSearches } from '../../kernel/records/search/slow-searches.ts';
import { deleteAttemptsBefore } from '../../kernel/security/sign-in-attempts.ts';
import { deleteFailuresBefore } from '../../kernel/security/sign-in-failures.ts';
import { messageIsGone } from '../shared/pgboss-sql.ts';

/** A housekeeping task. */
export interface Task {
  readonly name: string;
  readonly everyMinutes: number;
  /** Runs the task and returns how many rows (or partitions) it created or removed. Idempotent. */
  readonly run: (platform: Platform) => Promise<number>;
}

/** The tasks of the kernel's own tables, in the order in which a starting scheduler runs them. */
export const tasks: readonly Task[] = [
  { name: 'history partitions', everyMinutes: 60, run: makePartitions },
  { name: 'expired idempotency answers', everyMinutes: 10, run: deleteExpiredAnswers },
  {
    name: 'answers of deleted messages',
    everyMinutes: 60,
    run: (platform) => deleteQueuedAnswers(platform, messageIsGone),
  },
  { name: 'sign-in failure windows', everyMinutes: 10, run: deleteSignInFailures },
  { name: 'notes of inserts', everyMinutes: 10, run: deleteOldChanges },
  { name: 'history past its time', everyMinutes: 60, run: dropHistory },
  { name: 'error log past its time', everyMinutes: 360, run: deleteOldErrors },
  { name: 'slow searches of the past', everyMinutes: 360, run: deleteOldSlowSearches },
];

/** Deletes sign-in failure windows that ended a while ago; recent ones are kept for inspection. */
async function deleteSignInFailures(platform: Platform): Promise<number> {
  const window = platform.registry.settings.find((s) => s.name === 'SignInWindowMinutes') as
    | SettingDefinition<number>
    | undefined;
  const minutes = window === undefined ? 60 : platform.settings.get(window);
  const before = hoursAgo(platform, 24 + (2 * minutes) / 60);
  return (await deleteFailuresBefore(platform, before)) + (await deleteAttemptsBefore(platform, before));
}
