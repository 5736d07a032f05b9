import type { Context } from '../../../../kernel/door/context.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import { activateUser } from '../../../access/public/activate-user.ts';
import { hashOfToken } from './registration-codes.ts';
import { UNCONFIRMED } from './enroll-registration.ts';
import { startProcess } from './registration-processes.ts';

interface RedeemedRegistration {
  readonly personid: number;
  readonly organizationid: number;
  readonly passwordhash: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly process: string | null;
}

/**
 * Activates a registration's user and organization. Returns the sign-in name, or undefined for an unknown token.
 * Deletes the row first, so that only one of two concurrent confirmations finds it. Runs without row security, since
 * the caller is anonymous.
 */
export async function confirmRegistration(ctx: Context, token: string): Promise<string | undefined> {
  const now = ctx.clock.now();
  const [redeemed] = await ctx.db.query<RedeemedRegistration>(
    `delete from registration
     where tokenhash = $1::bytea and expires > $2::timestamptz
     returning personid, organizationid, passwordhash, firstname, lastname, process`,
    [hashOfToken(token), now],
  );
  if (!redeemed) return undefined;
  const { personid, organizationid } = redeemed;
  const person = await activateUser(ctx, personid, {
    from: UNCONFIRMED,
    passwordHash: redeemed.passwordhash,
    organizationId: organizationid,
    firstName: redeemed.firstname,
    lastName: redeemed.lastname,
  });
  if (!person) return undefined;
  const [organization] = await ctx.db.query<{ contact: string | null; status: string | null }>(
    'select contact, status from contact where contactid = $1::bigint for no key update',
    [organizationid],
  );
  if (organization?.status === UNCONFIRMED)
    await updateRow(ctx, ctx.registry.recordType('Organization'), organizationid, {
      Status: 'Active',
    });
  // Other links of the user are now invalid; what they would have activated is removed when they expire.
  await ctx.db.query('update registration set expires = $2::timestamptz where personid = $1::bigint', [personid, now]);
  await ctx.security({
    event: 'RegistrationConfirmed',
    personId: personid,
    object: 'Person',
    objectId: personid,
    address: ctx.address,
  });
  if (redeemed.process !== null) {
    await startProcess(ctx, redeemed.process, {
      OrganizationID: organizationid,
      PersonID: personid,
      Organization: organization?.contact ?? null,
      Email: person.email,
      FirstName: redeemed.firstname,
      LastName: redeemed.lastname,
    });
  }
  return person.name;
}
