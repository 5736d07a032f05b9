import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import { randomBytes } from 'node:crypto';
import type { Context } from '../../../../kernel/door/context.ts';
import { defined } from '../../../../kernel/parameters/defined.ts';
import { fold } from '../../../../kernel/parameters/fold.ts';
import { lockName } from '../../../../kernel/database/advisory-lock.ts';
import { isMailAddress } from '../../../../contracts/mail-validation.ts';
import { findLimitedRoles } from '../../../access/public/roles.ts';
import { findUserByName, type NamedUser } from '../../../access/public/users.ts';
import { registrationDays, registrationRoles } from '../settings.ts';
import { hashOfToken } from './registration-codes.ts';
import { mailConfirmation, mailExistingAccount, mailNotification } from './registration-mails.ts';

/** The status of unconfirmed organizations and users. */
export const UNCONFIRMED = 'Unconfirmed';
/** 256 random bits in URL-safe characters. */
const TOKEN_BYTES = 32;
/** Most registrations that may wait for one user; each has its own link. */
const WAITING_MAX = 10;

/** An accepted registration. */
export interface Enrollment {
  readonly Kind: 'Organization' | 'User';
  readonly FirstName: string;
  readonly LastName: string;
  readonly Email: string;
  readonly PasswordHash: string;
  readonly CodeHash?: string | null;
  readonly Organization?: string | null;
  readonly Phone?: string | null;
  readonly Address?: string | null;
  readonly City?: string | null;
  readonly State?: string | null;
  readonly PostalCode?: string | null;
  readonly Country?: string | null;
  readonly Process?: string | null;
}

/** Processes a registration. Returns whether there is now one to confirm. */
export async function enroll(ctx: Context, of: Enrollment): Promise<boolean> {
  // Of two registrations with one address, the second finds what the first created.
  await lockName(ctx, `registration ${fold(of.Email)}`);
  const joined = of.Kind === 'User' ? await organizationByCode(ctx, of.CodeHash ?? '') : undefined;
  if (of.Kind === 'User' && !joined) {
    await ctx.security({
      event: 'RegistrationRefused',
      object: 'Organization',
      detail: 'no organization has the code',
    });
    return false;
  }
  const known = await findUserByName(ctx.db, of.Email);
  if (known && !(await mayRegisterAgain(ctx, known, of))) return false;
  const organizationId = joined?.id ?? (await insertOrganization(ctx, of));
  const personId = known?.personid ?? (await insertPerson(ctx, of, organizationId));
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const days = ctx.settings.get(registrationDays);
  await ctx.db.query(
    `insert into registration (tokenhash, kind, personid, organizationid, passwordhash, firstname, lastname, process,
      expires, createddate)
     values ($1::bytea, $2::text, $3::bigint, $4::bigint, $5::text, $6::text, $7::text, $8::text, $9::timestamptz,
     $10::timestamptz)`,
    [
      hashOfToken(token),
      of.Kind,
      personId,
      organizationId,
      of.PasswordHash,
      of.FirstName,
      of.LastName,
      of.Process ?? null,
      new Date(ctx.clock.milliseconds() + days * 86_400_000).toISOString(),
      ctx.clock.now(),
    ],
  );
  await ctx.security({ event: 'Registered', object: 'Person', objectId: personId, detail: 'waits to be confirmed' });
  await mailConfirmation(ctx, { email: of.Email, personId, token, days });
  if (joined)
    await mailNotification(ctx, {
      organizationId,
      organization: joined.name,
      name: `${of.FirstName} ${of.LastName}`,
      email: of.Email,
    });
  return true;
}

/** Whether an existing user may register with the address: only one that waits for confirmation, within the limit. */
async function mayRegisterAgain(ctx: Context, known: NamedUser, of: Enrollment): Promise<boolean> {
  if (known.status !== UNCONFIRMED) {
    const email = [known.email, known.person].find((text) => text !== null && isMailAddress(text));
    if (typeof email === 'string') await mailExistingAccount(ctx, { email, personId: known.personid });
    return false;
  }
  // Names compare without accents, mailboxes do not: a user who reads the mail of another spelling has not proved
  // access to the account's mailbox.
  if (known.email?.toLowerCase() !== of.Email.toLowerCase()) {
    await ctx.security({
      event: 'RegistrationRefused',
      object: 'Person',
      objectId: known.personid,
      detail: 'another spelling of an address that waits to be confirmed',
    });
    return false;
  }
  return (await countWaiting(ctx, known.personid)) < WAITING_MAX;
}

async function organizationByCode(
  ctx: Context,
  codeHash: string,
): Promise<{ readonly id: number; readonly name: string } | undefined> {
  const [row] = await ctx.db.query<{ id: number; name: string }>(
    `select l.organizationid as id, coalesce(c.contact, '') as name
     from organizationlookup l
     join contact c on c.contactid = l.organizationid
     where l.codehash = decode($1::text, 'hex')
       and coalesce(c.status, 'Active') not in ('Inactive', 'Closed', '${UNCONFIRMED}')`,
    [codeHash],
  );
  return row;
}

async function countWaiting(ctx: Context, personId: number): Promise<number> {
  const [row] = await ctx.db.query<{ n: number }>(
    'select count(*)::integer as n from registration where personid = $1::bigint and expires > $2::timestamptz',
    [personId, ctx.clock.now()],
  );
  return row?.n ?? 0;
}

async function insertOrganization(
  ctx: Context,
  { Organization, Email, Phone, Address, City, State, PostalCode, Country }: Enrollment,
): Promise<number> {
  const answer = await ctx.call('organization/save', {
    Organization: Organization ?? '',
    Status: UNCONFIRMED,
    ...defined({ Address, City, State, PostalCode, Country }),
    Methods: [
      { MethodType: 'Email', ContactValue: Email },
      ...(Phone ? [{ MethodType: 'Phone', ContactValue: Phone }] : []),
    ],
  });
  return answer.row.OrganizationID;
}

/**
 * Creates the user. It gets its password on confirmation, and never a role with universal access, whatever the setting.
 */
async function insertPerson(
  ctx: Context,
  { Email, FirstName, LastName }: Enrollment,
  organizationId: number,
): Promise<number> {
  const roleNames = splitCommaList(ctx.settings.get(registrationRoles));
  const roles = await findLimitedRoles(ctx.db, roleNames);
  const answer = await ctx.call('person/save', {
    Person: Email,
    Email,
    FirstName,
    LastName,
    Status: UNCONFIRMED,
    OrganizationID: organizationId,
    Roles: roles.join(', '),
  });
  return answer.row.PersonID;
}
