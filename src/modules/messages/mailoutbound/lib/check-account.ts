import { MAIL_OUTBOUND_TYPE, type MailOutboundType } from '../../../../contracts/mail-outbound.ts';
import { TEXT_OUTBOUND_TYPE, type TextOutboundType } from '../../../../contracts/text-outbound.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { checkProvider } from '../../../../lib/saved-providers/provider-record.ts';
import { DEFAULT_TYPE, FOLDER, mailServerRecord, type StoredMailServer } from './stored-mail-outbounds.ts';
import type { mailOutbound } from '../mailoutbound.record.ts';
import { valueAfter, type Values } from '../../../../kernel/declare/values.ts';

/**
 * Checks the values to be stored for a mail server and brings them into stored form. `values` are the columns being
 * written; `before` is the stored row of a server that is changed.
 */
export function checkAccount(
  ctx: Pick<Context, 'providers' | 'cipher'>,
  values: Values<typeof mailOutbound>,
  before?: StoredMailServer,
): void {
  const name = values.MailOutbound ?? before?.MailOutbound;
  if (typeof name !== 'string' || !/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(name))
    throw bad('MailOutbound', 'a name of letters, digits, spaces, periods, _ and -');
  if (name.toLowerCase() === FOLDER.toLowerCase())
    throw bad('MailOutbound', `another name: ${FOLDER} is where mail is stored without a server`);
  const type = accountType(ctx, values, before);
  checkProvider(mailServerRecord, ctx.cipher, { id: before?.MailOutboundID ?? 0, name, type, values, before });
}

interface AccountType {
  readonly name: string;
  readonly kind: MailOutboundType | TextOutboundType;
}

function accountType(
  ctx: Pick<Context, 'providers'>,
  values: Values<typeof mailOutbound>,
  before: StoredMailServer | undefined,
): AccountType {
  const sent = valueAfter(values, before, 'MailOutboundType');
  const texts = ctx.providers.names(TEXT_OUTBOUND_TYPE);
  const known = [...ctx.providers.names(MAIL_OUTBOUND_TYPE), ...texts];
  const typeName = typeof sent === 'string' && sent !== '' ? sent : DEFAULT_TYPE;
  const name = known.find((each) => each.toLowerCase() === typeName.toLowerCase());
  if (name === undefined) throw bad('MailOutboundType', `a kind of mail server: ${known.join(', ')}`);
  if (!before || values.MailOutboundType !== undefined) values.MailOutboundType = name;
  const kind = texts.includes(name)
    ? ctx.providers.get(TEXT_OUTBOUND_TYPE, name)
    : ctx.providers.get(MAIL_OUTBOUND_TYPE, name);
  return { name, kind };
}
