import type { Context } from '../../../../kernel/door/context.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
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
 * Makes a registration's user and organization active; answers the sign-in name, or undefined where the token stands for none. The
 * row is deleted first, so that of two confirmations at one moment one finds it. Runs without row security: the caller is nobody.
 */
export async function confirmRegistration(ctx: Context, token: string): Promise<string | undefined> {
  const now = ctx.clock.now();
  const [redeemed] = await ctx.db.query<RedeemedRegistration & Record<string, unknown>>(
    'delete from registration where tokenhash = $1::bytea and expires > $2::timestamptz returning personid, organizationid, passwordhash, firstname, lastname, process',
    [hashOfToken(token), now],
  );
  if (!redeemed) return undefined;
  const { personid, organizationid } = redeemed;
  const [person] = await ctx.db.query<{ person: string; status: string | null }>(
    'select person, status from person where personid = $1::bigint for no key update',
    [personid],
  );
  // Locked so that the security log, which writes on its own, may point to the row. An administrator may have ended it, and another link of the same user may have been quicker.
  if (person?.status !== UNCONFIRMED) return undefined;
  const values = new Map<string, unknown>([
    ['status', 'Active'],
    ['password', redeemed.passwordhash],
    ['organizationid', organizationid],
    ['firstname', redeemed.firstname],
    ['lastname', redeemed.lastname],
  ]);
  const row = await updateRow(ctx, ctx.registry.requireRecord('Person', 'PersonID'), personid, values);
  // The user's own doing, though nobody was signed in.
  await ctx.db.query('update person set updatedpersonid = personid where personid = $1::bigint', [personid]);
  const [organization] = await ctx.db.query<{ contact: string | null; status: string | null }>(
    'select contact, status from contact where contactid = $1::bigint for no key update',
    [organizationid],
  );
  if (organization?.status === UNCONFIRMED)
    await updateRow(
      ctx,
      ctx.registry.requireRecord('Organization', 'OrganizationID'),
      organizationid,
      new Map([['status', 'Active']]),
    );
  // Other links of the same user are worth nothing from now on; what they would have made is removed with what is past its time.
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
      Email: row['Email'] as string | null,
      FirstName: redeemed.firstname,
      LastName: redeemed.lastname,
    });
  }
  return person.person;
}
