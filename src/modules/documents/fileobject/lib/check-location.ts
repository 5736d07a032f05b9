import {
  FILE_OBJECT,
  FILE_OBJECT_TYPE,
  type FileLocation,
  type FileObjectType,
  type LocationOption,
} from '../../../../contracts/file-object.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import {
  columnOf,
  locationOf,
  openColumn,
  optionColumns,
  options,
  sealColumn,
  secretColumns,
  type StoredLocation,
} from './location-columns.ts';
import type { fileObject } from '../fileobject.record.ts';
import type { ColumnName } from '../../../../kernel/declare/columns.ts';
import type { Values } from '../../../../kernel/declare/values.ts';

const CONNECTIONS_MAX = 64;
const TIMEOUT_SECONDS_MAX = 600;
/** Longest secret in clear, by column: sealed it must fit. */
const SECRET_BYTES_MAX: Readonly<Record<string, number>> = {
  secretaccesskey: 1_000,
  password: 1_000,
  privatekey: 16_000,
  passphrase: 1_000,
};
/** Columns that decide where secrets are sent: whoever changes one must know the secrets. */
const DESTINATION_COLUMNS = ['FileObjectType', 'Host', 'Port', 'UserName', 'Endpoint'] as const;

/**
 * Checks a location to be saved and brings it into its stored form. `values` are the columns to write;
 * `before` is the stored state of an existing location.
 */
export function checkLocation(
  ctx: Pick<Context, 'providers' | 'cipher'>,
  values: Values<typeof fileObject>,
  before?: StoredLocation,
): void {
  const name = checkName(ctx, values, before);
  const type = locationType(ctx, values, before);
  dropSecrets(values, before);
  const location = locationOf(before?.fileobjectid ?? 0, name, (column) =>
    values.has(spellingOf(column)) ? values.get(spellingOf(column)) : openColumn(ctx.cipher, column, before?.[column]),
  );
  assertOptions(type.name, type.kind, location);
  type.kind.validate(location);
  for (const column of secretColumns) {
    const value = values.get(spellingOf(column));
    if (typeof value !== 'string' || value === '') continue;
    if (Buffer.byteLength(value) > (SECRET_BYTES_MAX[column] ?? 0))
      throw bad(spellingOf(column), `at most ${SECRET_BYTES_MAX[column] ?? 0} bytes`);
    values.set(spellingOf(column), sealColumn(ctx.cipher, column, value));
  }
}

/** Returns the location's name. It never changes, because documents and templates store it. */
function checkName(
  ctx: Pick<Context, 'providers'>,
  values: Values<typeof fileObject>,
  before: StoredLocation | undefined,
): string {
  const sent = values.get('FileObject');
  if (before) {
    if (sent !== undefined && sent !== before.fileobject)
      throw new PlatformError('STATE_REFUSES', {
        field: 'FileObject',
        message:
          'FileObject: a storage location cannot be renamed, because documents refer to it by name; create ' +
          'another location.',
      });
    return before.fileobject;
  }
  if (typeof sent !== 'string' || !/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(sent))
    throw bad('FileObject', 'a name of letters, digits, spaces, points, _ and -');
  if (ctx.providers.names(FILE_OBJECT).some((known) => known.toLowerCase() === sent.toLowerCase()))
    throw new PlatformError('DUPLICATE_KEY', {
      field: 'FileObject',
      message: `FileObject: a storage location named ${sent} already exists.`,
    });
  return sent;
}

function locationType(
  ctx: Pick<Context, 'providers'>,
  values: Values<typeof fileObject>,
  before: StoredLocation | undefined,
): { readonly name: string; readonly kind: FileObjectType } {
  const sent = values.get('FileObjectType') ?? before?.fileobjecttype;
  const known = ctx.providers.names(FILE_OBJECT_TYPE);
  const name = known.find((each) => typeof sent === 'string' && each.toLowerCase() === sent.toLowerCase());
  if (name === undefined) throw bad('FileObjectType', `a kind of storage: ${known.join(', ')}`);
  if (before && before.fileobjecttype.toLowerCase() !== name.toLowerCase())
    throw new PlatformError('STATE_REFUSES', {
      field: 'FileObjectType',
      message:
        'FileObjectType: the kind of a storage location cannot change, because its files are stored there; ' +
        'create another location.',
    });
  if (values.has('FileObjectType')) values.set('FileObjectType', name);
  return { name, kind: ctx.providers.get(FILE_OBJECT_TYPE, name) };
}

/** Clears secrets that are not sent again when a location moves: whoever could redirect them would read them. */
function dropSecrets(values: Values<typeof fileObject>, before: StoredLocation | undefined): void {
  if (!before) return;
  const isChanged = (name: ColumnName<typeof fileObject>): boolean =>
    values.has(name) && (values.get(name) ?? '') !== (before[name.toLowerCase()] ?? '');
  // The first host key is no move: nothing was ever sent without one.
  const isElsewhere = DESTINATION_COLUMNS.some(isChanged) || (isChanged('HostKey') && (before['hostkey'] ?? '') !== '');
  if (isElsewhere) for (const name of [...secretColumns].map(spellingOf)) if (!values.has(name)) values.set(name, null);
}

function assertOptions(type: string, kind: FileObjectType, location: FileLocation): void {
  const missing = kind.required.find((option) => location[option] === undefined);
  if (missing !== undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: optionColumns[missing],
      message:
        `${optionColumns[missing]} is required for a storage location of the kind ` +
        `${type}${secretColumns.has(columnOf(missing)) ? ', also when the address that it is sent to changes' : ''}.`,
    });
  const known: readonly LocationOption[] = [...kind.required, ...kind.optional];
  const unknown = options.find(
    (option) => location[option] !== undefined && location[option] !== false && !known.includes(option),
  );
  if (unknown !== undefined)
    throw bad(
      optionColumns[unknown],
      `nothing: a storage location of the kind ${type} has ` +
        (known.map((option) => optionColumns[option]).join(', ') || 'no options'),
    );
  const { connectionsMax = 1, timeoutSeconds = 1 } = location;
  if (connectionsMax < 1 || connectionsMax > CONNECTIONS_MAX)
    throw bad('ConnectionsMax', `between 1 and ${CONNECTIONS_MAX}`);
  if (timeoutSeconds < 1 || timeoutSeconds > TIMEOUT_SECONDS_MAX)
    throw bad('TimeoutSeconds', `between 1 and ${TIMEOUT_SECONDS_MAX}`);
}

/** Returns the declared name of an option's column. */
function spellingOf(column: string): ColumnName<typeof fileObject> {
  const name = Object.values(optionColumns).find((each) => each.toLowerCase() === column);
  if (name === undefined) throw new Error(`no option of a storage location has the column ${column}`);
  return name;
}
