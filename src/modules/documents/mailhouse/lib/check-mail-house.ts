import { MAIL_HOUSE, MAIL_HOUSE_TYPE } from '../../../../contracts/delivery.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { checkProvider } from '../../../../lib/saved-providers/provider-record.ts';
import type { mailHouse } from '../mailhouse.record.ts';
import { mailHouseRecord, type StoredMailHouse } from './stored-mail-houses.ts';

/**
 * Checks the values to be stored for a mail house and brings them into stored form. `values` are the columns being
 * written; `before` is the stored row of a mail house that is changed.
 */
export function checkMailHouse(
  ctx: Pick<Context, 'providers' | 'cipher'>,
  values: Values<typeof mailHouse>,
  before?: StoredMailHouse,
): void {
  const name = checkName(ctx, values, before);
  const sent = values.MailHouseType ?? before?.MailHouseType;
  const known = ctx.providers.names(MAIL_HOUSE_TYPE);
  const typeName = known.find((each) => typeof sent === 'string' && each.toLowerCase() === sent.toLowerCase());
  if (typeName === undefined) throw bad('MailHouseType', `a kind of mail house: ${known.join(', ')}`);
  if (values.MailHouseType !== undefined) values.MailHouseType = typeName;
  const type = { name: typeName, kind: ctx.providers.get(MAIL_HOUSE_TYPE, typeName) };
  checkProvider(mailHouseRecord, ctx.cipher, { id: before?.MailHouseID ?? 0, name, type, values, before });
}

/** Returns the name. It never changes, because letters that the mail house has refer to it by name. */
function checkName(
  ctx: Pick<Context, 'providers'>,
  { MailHouse: sent }: Values<typeof mailHouse>,
  before: StoredMailHouse | undefined,
): string {
  if (before) {
    if (sent !== undefined && sent !== before.MailHouse)
      throw new PlatformError('STATE_REFUSES', {
        field: 'MailHouse',
        message: 'MailHouse: a mail house cannot be renamed, because letters refer to it by name; create another one.',
      });
    return before.MailHouse;
  }
  if (typeof sent !== 'string' || !/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(sent))
    throw bad('MailHouse', 'a name of letters, digits, spaces, periods, _ and -');
  if (ctx.providers.names(MAIL_HOUSE).some((known) => known.toLowerCase() === sent.toLowerCase()))
    throw new PlatformError('DUPLICATE_KEY', {
      field: 'MailHouse',
      message: `MailHouse: a mail house named ${sent} already exists.`,
    });
  return sent;
}
