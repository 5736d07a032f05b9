import type { Context } from '../../../kernel/door/context.ts';
import { apiKeyWarningDays } from '../apikey/settings.ts';

/** An API key that is in use and about to expire. */
export interface ExpiringKey {
  readonly name: string | null;
  readonly start: string | null;
  readonly expires: string;
}

/** Most keys that are returned. */
const KEYS_MAX = 10;

/** Returns the next keys to expire within the setting's days. The caller must have checked access to API keys. */
export async function expiringKeys(ctx: Context): Promise<readonly ExpiringKey[]> {
  const until = new Date(ctx.clock.milliseconds() + ctx.settings.get(apiKeyWarningDays) * 86_400_000).toISOString();
  return ctx.db.query<ExpiringKey>(
    `select apikey as name, keystart as start, expires
     from apikey
     where revokeddate is null and expires > $1::timestamptz and expires <= $2::timestamptz
     order by expires
     limit ${KEYS_MAX}`,
    [ctx.clock.now(), until],
  );
}
