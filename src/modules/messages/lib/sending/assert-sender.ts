import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { firmOf } from '../../../../kernel/security/identity.ts';

/**
 * Throws unless the caller may send as an address. Staff may send as any. A firm's user sends as themselves, or as a
 * mailbox of their firm: mail of the installation is signed for its domain, so another address would be believed.
 */
export async function assertMaySendAs(ctx: Context, address: string | null | undefined): Promise<void> {
  const sent = (address ?? '').trim();
  if (sent === '' || ctx.user.universal) return;
  // Row security closes the mailboxes to firms' users.
  const own = await ctx.transaction().elevated((db) =>
    db.query(
      `select 1 from person where personid = $2::bigint and lower(email) = lower($1::text)
       union all
       select 1 from mailinbound where organizationid = $3::bigint and lower(address) = lower($1::text)
       limit 1`,
      [sent, ctx.user.personId, firmOf(ctx.user)],
    ),
  );
  if (own.length > 0) return;
  throw new PlatformError('NO_PERMISSION', {
    field: 'FromAddress',
    message:
      'FromAddress: expected your own address, that of a mailbox of your firm, or none; you may not send as ' +
      `"${sent.slice(0, 100)}".`,
  });
}
