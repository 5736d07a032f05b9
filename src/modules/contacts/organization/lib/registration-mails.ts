import type { Context } from '../../../../kernel/door/context.ts';
import { activeUserAddresses } from '../../../access/public/users.ts';
import { publicAddress } from '../../../../kernel/declare/core-settings.ts';

/** Most receivers of a notification. */
const NOTIFIED_MAX = 10;

const footer = 'This email was sent automatically. Replies to it are not read.';

/** Returns the public address of a path. */
function publicUrl(ctx: Context, path: string): string {
  return new URL(path, ctx.settings.get(publicAddress)).href;
}

/**
 * Mails the confirmation link of a registration. Contains nothing that the caller typed except the address: anyone can
 * have it sent to anyone.
 */
export async function mailConfirmation(
  ctx: Context,
  of: { readonly email: string; readonly personId: number; readonly token: string; readonly days: number },
): Promise<void> {
  const text = `Someone registered with this mail address.

If that was you, follow this link within ${of.days} days and confirm:

${publicUrl(ctx, `/confirm/${of.token}`)}

If it was not you, do nothing: without the confirmation the registration is removed.

${footer}
`;
  await postMail(ctx, {
    To: of.email,
    Subject: 'Confirm your registration',
    BodyText: text,
    Purpose: 'Registration',
    Object: 'Person',
    ObjectID: of.personId,
  });
}

/** Notifies the owner of an account that someone tried to register with its address. The caller learns nothing. */
export async function mailExistingAccount(
  ctx: Context,
  of: { readonly email: string; readonly personId: number },
): Promise<void> {
  const text = `Someone tried to register with your mail address. You already have an account, and nothing was changed.

If that was you, sign in:

${publicUrl(ctx, '/signin')}

If you do not know your password any more, ask your administrator.

${footer}
`;
  await postMail(ctx, {
    To: of.email,
    Subject: 'You have an account already',
    BodyText: text,
    Purpose: 'Registration',
    Object: 'Person',
    ObjectID: of.personId,
  });
}

/** Notifies an organization of a user's registration: at its own addresses, or its users' if it has none. */
export async function mailNotification(
  ctx: Context,
  of: { readonly organizationId: number; readonly organization: string; readonly name: string; readonly email: string },
): Promise<void> {
  const own = await organizationAddresses(ctx, of.organizationId);
  const addresses = own.length > 0 ? own : await activeUserAddresses(ctx.db, of.organizationId, NOTIFIED_MAX);
  if (addresses.length === 0) {
    ctx.log.warn('no notification of a registration was sent: the organization has no mail address', {
      organizationId: of.organizationId,
    });
    return;
  }
  const instructions =
    'The account works once the user has confirmed the mail address. If you do not know this person, ask your ' +
    'administrator to end the account and to renew the code.';
  const text = `A user registered on your organization, ${of.organization}, with its registration code:

  Name:  ${of.name}
  Mail:  ${of.email}

${instructions}

${footer}
`;
  for (const address of addresses)
    await postMail(ctx, {
      To: address,
      Subject: 'A user registered on your organization',
      BodyText: text,
      Purpose: 'Registration',
      Object: 'Organization',
      ObjectID: of.organizationId,
    });
}

async function organizationAddresses(ctx: Context, organizationId: number): Promise<readonly string[]> {
  const rows = await ctx.db.query<{ address: string }>(
    `select contactvalue as address
     from contactmethod
     where contactid = $1::bigint and methodtype = 'Email' and contactvalue is not null
     order by contactmethodid
     limit ${NOTIFIED_MAX}`,
    [organizationId],
  );
  return rows.map(({ address }) => address);
}

interface Mail {
  readonly To: string;
  readonly Subject: string;
  readonly BodyText: string;
  readonly Purpose: string;
  readonly Object: string;
  readonly ObjectID: number;
}

/** Sends mail, skipping an address that mail cannot be sent to: the failure must not roll back the registration. */
async function postMail(ctx: Context, mail: Mail): Promise<void> {
  await ctx
    .savepoint(() => ctx.call('maildelivery/post', { ...mail, Headers: 'Auto-Submitted: auto-generated' }))
    .catch(() =>
      ctx.log.warn('an email of a registration was not sent', { object: mail.Object, objectId: mail.ObjectID }),
    );
}
