import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';

/** Refuses a firm's user: what belongs to the installation is for staff. Call it first, so that nothing is revealed. */
export function assertStaff({ user }: Pick<Context, 'user'>, field: string, what: string): void {
  if (!user.universal)
    throw new PlatformError('NO_PERMISSION', {
      field,
      message: `${field}: only users with universal access can ${what}.`,
    });
}
