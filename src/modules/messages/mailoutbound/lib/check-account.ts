import {
  MAIL_OUTBOUND_TYPE,
  type MailAccount,
  type MailAccountOption,
  type MailOutboundType,
} from '../../../../contracts/mail-outbound.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import {
  accountOf,
  DEFAULT_TYPE,
  openColumn,
  optionColumns,
  options,
  sealColumn,
  secretColumns,
  type StoredAccount,
} from './account-columns.ts';
import { FOLDER } from './stored-mail-outbounds.ts';

/** Upper limits of connections to one server, and of seconds that a response may take, whatever the record says. */
const CONNECTIONS_MAX = 32;
const TIMEOUT_SECONDS_MAX = 300;
/** Columns that decide where secrets are sent: changing one of them requires the secrets again. */
const DESTINATION_COLUMNS = [
  'mailoutboundtype',
  'host',
  'port',
  'security',
  'authorities',
  'username',
  'tokenurl',
  'clientid',
] as const;

/**
 * Checks the values to be stored for a mail server and brings them into stored form. `values` are the columns being
 * written, by lower-case name; `before` is the stored row of a server that is changed.
 */
export function checkAccount(
  ctx: Pick<Context, 'providers' | 'cipher'>,
  values: Map<string, unknown>,
  before?: StoredAccount,
): void {
  const name = values.get('mailoutbound') ?? before?.mailoutbound;
  if (typeof name !== 'string' || !/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(name))
    throw bad('MailOutbound', 'a name of letters, digits, spaces, points, _ and -');
  if (name.toLowerCase() === FOLDER.toLowerCase())
    throw bad('MailOutbound', `another name: ${FOLDER} is where mail is stored without a server`);
  const type = accountType(ctx, values, before);
  dropSecrets(values, before);
  const account = accountOf(before?.mailoutboundid ?? 0, name, (column) =>
    values.has(column) ? values.get(column) : openColumn(ctx.cipher, column, before?.[column]),
  );
  assertOptions(type, account);
  type.kind.validate(account);
  for (const [column, bytesMax] of secretColumns) {
    const value = values.get(column);
    if (typeof value !== 'string' || value === '') continue;
    if (Buffer.byteLength(value) > bytesMax) throw bad(spellingOf(column), `at most ${bytesMax} bytes`);
    values.set(column, sealColumn(ctx.cipher, column, value));
  }
}

interface AccountType {
  readonly name: string;
  readonly kind: MailOutboundType;
}

function accountType(
  ctx: Pick<Context, 'providers'>,
  values: Map<string, unknown>,
  before: StoredAccount | undefined,
): AccountType {
  const sent = values.has('mailoutboundtype') ? values.get('mailoutboundtype') : before?.mailoutboundtype;
  const known = ctx.providers.names(MAIL_OUTBOUND_TYPE);
  const typeName = typeof sent === 'string' && sent !== '' ? sent : DEFAULT_TYPE;
  const name = known.find((each) => each.toLowerCase() === typeName.toLowerCase());
  if (name === undefined) throw bad('MailOutboundType', `a kind of mail server: ${known.join(', ')}`);
  if (!before || values.has('mailoutboundtype')) values.set('mailoutboundtype', name);
  return { name, kind: ctx.providers.get(MAIL_OUTBOUND_TYPE, name) };
}

/** Secrets do not follow a server's name to another address: anyone who could redirect them could read them. */
function dropSecrets(values: Map<string, unknown>, before: StoredAccount | undefined): void {
  const isElsewhere =
    before &&
    DESTINATION_COLUMNS.some((column) => values.has(column) && (values.get(column) ?? '') !== (before[column] ?? ''));
  if (isElsewhere)
    for (const column of ['password', 'clientsecret', 'refreshtoken'])
      if (!values.has(column)) values.set(column, null);
}

function assertOptions({ name, kind }: AccountType, account: MailAccount): void {
  const missing = kind.required.find((option) => account[option] === undefined);
  if (missing !== undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: optionColumns[missing],
      message: `${optionColumns[missing]} is required for a mail server of the kind ${name}.`,
    });
  const known: readonly MailAccountOption[] = [...kind.required, ...kind.optional];
  const unknown = options.find((option) => account[option] !== undefined && !known.includes(option));
  if (unknown !== undefined)
    throw bad(
      optionColumns[unknown],
      `nothing: a mail server of the kind ${name} has ${known.map((option) => optionColumns[option]).join(', ')}`,
    );
  const { connectionsMax = 1, timeoutSeconds = 1 } = account;
  if (connectionsMax < 1 || connectionsMax > CONNECTIONS_MAX)
    throw bad('ConnectionsMax', `between 1 and ${CONNECTIONS_MAX}`);
  if (timeoutSeconds < 1 || timeoutSeconds > TIMEOUT_SECONDS_MAX)
    throw bad('TimeoutSeconds', `between 1 and ${TIMEOUT_SECONDS_MAX}`);
}

function spellingOf(column: string): string {
  return Object.values(optionColumns).find((name) => name.toLowerCase() === column) ?? column;
}
