import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { byConsequence, consequenceOf } from './consequences.ts';
import { runHealthChecks, type HealthCheck } from './health-checks.ts';
import { currentMutes, muteOf } from './health-mutes.ts';

/** A check with what it means, and whether somebody has muted it. */
export interface CheckedHealth extends HealthCheck {
  readonly Consequence: string | null;
  readonly MutedUntil: string | null;
  readonly MuteReason: string | null;
  readonly MutePersonID: number | null;
}

/** Throws unless the caller has universal access: the installation is shared by all firms. */
export function assertSeesHealth(ctx: Context): void {
  if (!ctx.user.universal)
    throw new PlatformError('NO_PERMISSION', {
      message: 'Only users with universal access can see the health of the installation.',
    });
}

/** Runs all checks and returns them in the order in which they are looked into. */
export async function checkedHealth(ctx: Context): Promise<readonly CheckedHealth[]> {
  const [checks, mutes] = await Promise.all([runHealthChecks(ctx), currentMutes(ctx.db, ctx.clock.now())]);
  return byConsequence(
    checks.map((check) => {
      const mute = muteOf(check, mutes);
      return {
        ...check,
        Consequence: check.State === 'ok' ? null : consequenceOf(check.Health),
        MutedUntil: mute?.until ?? null,
        MuteReason: mute?.reason ?? null,
        MutePersonID: mute?.personid ?? null,
      };
    }),
  );
}
