import { isMailAddress } from '../../../../contracts/mail-validation.ts';
import { MAIL_INBOUND_TYPE, type MailInboundType } from '../../../../contracts/mail-inbound.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { valueAfter, type Values } from '../../../../kernel/declare/values.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { isServerName } from '../../../../lib/mail/checking-servers.ts';
import { checkProvider } from '../../../../lib/saved-providers/provider-record.ts';
import type { mailInbound } from '../mailinbound.record.ts';
import { DEFAULT_RECEIVER, mailboxRecord, type StoredMailbox } from './stored-mail-inbounds.ts';

/**
 * Checks the values to be stored for a mailbox and brings them into stored form. `values` are the columns being
 * written; `before` is the stored row of a mailbox that is changed. A new one receives mail from now on.
 */
export function checkMailbox(
  ctx: Pick<Context, 'providers' | 'cipher' | 'clock'>,
  values: Values<typeof mailInbound>,
  before?: StoredMailbox,
): void {
  const name = values.MailInbound ?? before?.MailInbound;
  // Calls name mailboxes in a list with commas.
  if (typeof name !== 'string' || !/^[\p{L}\p{N}][\p{L}\p{N} @._-]{0,99}$/u.test(name))
    throw bad('MailInbound', 'a name of letters, digits, spaces, points, @, _ and -');
  const { Address: address } = values;
  if (typeof address === 'string' && address !== '' && !isMailAddress(address))
    throw bad('Address', 'an email address such as cases@example.com');
  assertServers(values.AuthenticationServer);
  if (!before && (values.Since ?? null) === null) values.Since = ctx.clock.now();
  forgetSenderChecks(values, before);
  const type = receiver(ctx, values, before);
  checkProvider(mailboxRecord, ctx.cipher, { id: before?.MailInboundID ?? 0, name, type, values, before });
}

/** Of another server nothing is known of how it checks senders. */
function forgetSenderChecks(values: Values<typeof mailInbound>, before: StoredMailbox | undefined): void {
  if (before && values.Host !== undefined && values.Host !== before.Host)
    Object.assign(values, { CheckingServers: null, SenderChecksSince: null });
}

/** Names as headers have them: no spaces, quotation marks or semicolons. */
function assertServers(names: unknown): void {
  if (typeof names !== 'string' || names.trim() === '') return;
  if (names.split(',').every((name) => isServerName(name.trim()))) return;
  throw bad('AuthenticationServer', 'names of servers such as mx.example.com, with commas between them');
}

interface Receiver {
  readonly name: string;
  readonly kind: MailInboundType;
}

function receiver(
  ctx: Pick<Context, 'providers'>,
  values: Values<typeof mailInbound>,
  before: StoredMailbox | undefined,
): Receiver {
  const sent = valueAfter(values, before, 'MailInboundType');
  const known = ctx.providers.names(MAIL_INBOUND_TYPE);
  const typeName = typeof sent === 'string' && sent !== '' ? sent : DEFAULT_RECEIVER;
  const name = known.find((each) => each.toLowerCase() === typeName.toLowerCase());
  if (name === undefined) throw bad('Receiver', `a receiver: ${known.join(', ')}`);
  if (!before || values.MailInboundType !== undefined) values.MailInboundType = name;
  return { name, kind: ctx.providers.get(MAIL_INBOUND_TYPE, name) };
}
