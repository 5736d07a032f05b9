import type { Context } from '../../../kernel/door/context.ts';
import { updateRow } from '../../../kernel/records/save/update-row.ts';

/** What a confirmed registration makes of a user. */
export interface Activation {
  /** The status that the user must still have. */
  readonly from: string;
  readonly passwordHash: string;
  readonly organizationId: number;
  readonly firstName: string | null;
  readonly lastName: string | null;
}

/** An activated user. */
export interface ActivatedUser {
  /** The sign-in name. */
  readonly name: string;
  readonly email: string | null;
}

/**
 * Makes a user active, with a password and an organization, as a change by that user: nobody is signed in. Returns
 * undefined for a user whose status has changed meanwhile. The caller has proof that the request is the user's.
 */
export async function activateUser(
  ctx: Context,
  personId: number,
  { from, passwordHash, organizationId, firstName, lastName }: Activation,
): Promise<ActivatedUser | undefined> {
  // Locked so that the security log, which commits separately, can reference the row. An administrator may have ended
  // the account, or another link of the user may have been used first.
  const [person] = await ctx.db.query<{ person: string; status: string | null }>(
    'select person, status from person where personid = $1::bigint for no key update',
    [personId],
  );
  if (person?.status !== from) return undefined;
  const values = {
    Status: 'Active',
    Password: passwordHash,
    OrganizationID: organizationId,
    FirstName: firstName,
    LastName: lastName,
  };
  // The platform grants what it gave the user at registration; an anonymous caller holds nothing.
  const row = await ctx.actingAs('System', (own) =>
    updateRow(own, own.registry.recordType('Person'), personId, values),
  );
  await ctx.db.query('update person set updatedpersonid = personid where personid = $1::bigint', [personId]);
  return { name: person.person, email: row.Email };
}
