import { MAIL_OUTBOUND_TYPE, type MailOutboundType } from '../../../../contracts/mail-outbound.ts';
import { assertOptions, optionValues, type OptionValues } from '../../../../contracts/provider-options.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import {
  DEFAULT_TYPE,
  openColumn,
  optionsOf,
  sealColumn,
  secretColumns,
  type StoredAccount,
} from './account-columns.ts';
import { FOLDER } from './stored-mail-outbounds.ts';
import type { mailOutbound } from '../mailoutbound.record.ts';
import type { Values } from '../../../../kernel/declare/values.ts';

/** Upper limits of connections to one server, and of seconds that a response may take, whatever the record says. */
const CONNECTIONS_MAX = 32;
const TIMEOUT_SECONDS_MAX = 300;
/** Columns that decide where secrets are sent: changing one of them requires the secrets again. */
const DESTINATION_COLUMNS = [
  'MailOutboundType',
  'Host',
  'Port',
  'Security',
  'Authorities',
  'UserName',
  'TokenURL',
  'ClientID',
  // What the options of other kinds mean is not known here.
  'Options',
] as const;
/** Secrets that are sent to the server. The key of signatures stays here. */
const SENT_SECRETS = ['Password', 'ClientSecret', 'RefreshToken', 'Secrets'] as const;

/**
 * Checks the values to be stored for a mail server and brings them into stored form. `values` are the columns being
 * written; `before` is the stored row of a server that is changed.
 */
export function checkAccount(
  ctx: Pick<Context, 'providers' | 'cipher'>,
  values: Values<typeof mailOutbound>,
  before?: StoredAccount,
): void {
  const name = values.MailOutbound ?? before?.mailoutbound;
  if (typeof name !== 'string' || !/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(name))
    throw bad('MailOutbound', 'a name of letters, digits, spaces, points, _ and -');
  if (name.toLowerCase() === FOLDER.toLowerCase())
    throw bad('MailOutbound', `another name: ${FOLDER} is where mail is stored without a server`);
  const type = accountType(ctx, values, before);
  dropSecrets(values, before);
  const stored = optionsOf((column) => {
    const stored = column.toLowerCase();
    return values[column] !== undefined ? values[column] : openColumn(ctx.cipher, stored, before?.[stored]);
  });
  assertOptions({ type: type.name, noun: 'mail server', declared: type.kind.options }, stored);
  const options = optionValues(type.kind.options, stored);
  assertLimits(options);
  type.kind.validate({ id: before?.mailoutboundid ?? 0, name, options });
  for (const [column, bytesMax] of secretColumns) {
    const value = values[column];
    if (typeof value !== 'string' || value === '') continue;
    if (Buffer.byteLength(value) > bytesMax) throw bad(column, `at most ${bytesMax} bytes`);
    values[column] = sealColumn(ctx.cipher, column.toLowerCase(), value);
  }
}

interface AccountType {
  readonly name: string;
  readonly kind: MailOutboundType;
}

function accountType(
  ctx: Pick<Context, 'providers'>,
  values: Values<typeof mailOutbound>,
  before: StoredAccount | undefined,
): AccountType {
  const sent = values.MailOutboundType !== undefined ? values.MailOutboundType : before?.mailoutboundtype;
  const known = ctx.providers.names(MAIL_OUTBOUND_TYPE);
  const typeName = typeof sent === 'string' && sent !== '' ? sent : DEFAULT_TYPE;
  const name = known.find((each) => each.toLowerCase() === typeName.toLowerCase());
  if (name === undefined) throw bad('MailOutboundType', `a kind of mail server: ${known.join(', ')}`);
  if (!before || values.MailOutboundType !== undefined) values.MailOutboundType = name;
  return { name, kind: ctx.providers.get(MAIL_OUTBOUND_TYPE, name) };
}

/** Secrets do not follow a server's name to another address: anyone who could redirect them could read them. */
function dropSecrets(values: Values<typeof mailOutbound>, before: StoredAccount | undefined): void {
  const isElsewhere =
    before &&
    DESTINATION_COLUMNS.some(
      (name) => values[name] !== undefined && (values[name] ?? '') !== (before[name.toLowerCase()] ?? ''),
    );
  if (isElsewhere) for (const name of SENT_SECRETS) if (values[name] === undefined) values[name] = null;
}

function assertLimits({ ConnectionsMax: connectionsMax = 1, TimeoutSeconds: timeoutSeconds = 1 }: OptionValues): void {
  if (Number(connectionsMax) < 1 || Number(connectionsMax) > CONNECTIONS_MAX)
    throw bad('ConnectionsMax', `between 1 and ${CONNECTIONS_MAX}`);
  if (Number(timeoutSeconds) < 1 || Number(timeoutSeconds) > TIMEOUT_SECONDS_MAX)
    throw bad('TimeoutSeconds', `between 1 and ${TIMEOUT_SECONDS_MAX}`);
}
