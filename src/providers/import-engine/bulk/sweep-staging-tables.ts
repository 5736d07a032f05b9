import type { Platform } from '../../../kernel/ports/platform.ts';
import type { SettingDefinition } from '../../../kernel/declare/setting.ts';
import { qualified, STAGING_SCHEMA } from './staging-database.ts';

/** Tables removed in one pass; the rest is left for the next. */
const TABLES_MAX = 200;

/**
 * Housekeeping: removes staging tables created for one import file, some days after it has ended. Tables in other
 * databases belong to their owners.
 */
export function sweepStagingTables(days: SettingDefinition<number>): {
  readonly name: string;
  readonly everyMinutes: number;
  readonly run: (platform: Platform) => Promise<number>;
} {
  return {
    name: 'staging tables past their time',
    everyMinutes: 60,
    async run({ store, clock, settings }) {
      const before = new Date(clock.milliseconds() - settings.get(days) * 86_400_000).toISOString();
      const actor = { personId: null, firm: null, callId: 'housekeeping' };
      const past = await store.query<{ tablename: string; importfileid: number; own: boolean }>(
        `select u.tablename, u.importfileid, u.own from staginguse u left
          join importfile f on f.importfileid = u.importfileid
         where coalesce(f.importcomplete, u.usedate) < $1::timestamptz
         and (f.importfileid is null or f.importcomplete is not null) order by u.usedate limit ${TABLES_MAX}`,
        [before],
      );
      let removed = 0;
      for (const { tablename, importfileid, own } of past) {
        await store.transaction(actor, async (transaction) => {
          await transaction.query('delete from staginguse where tablename = $1::text and importfileid = $2::bigint', [
            tablename,
            importfileid,
          ]);
          if (own && !tablename.includes(':'))
            await transaction.query(`drop table if exists ${qualified({ schema: STAGING_SCHEMA, name: tablename })}`);
        });
        removed++;
      }
      return removed;
    },
  };
}
