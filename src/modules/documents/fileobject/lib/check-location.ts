import { FILE_OBJECT, FILE_OBJECT_TYPE, type FileObjectType } from '../../../../contracts/file-object.ts';
import { assertOptions, optionValues, type OptionValues } from '../../../../contracts/provider-options.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import type { ColumnName } from '../../../../kernel/declare/columns.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import type { fileObject } from '../fileobject.record.ts';
import { openColumn, optionsOf, sealColumn, secretColumns, type StoredLocation } from './location-columns.ts';

const CONNECTIONS_MAX = 64;
const TIMEOUT_SECONDS_MAX = 600;
/** Columns that decide where secrets are sent: whoever changes one must know the secrets. */
const DESTINATION_COLUMNS = ['FileObjectType', 'Host', 'Port', 'UserName', 'Endpoint', 'Options'] as const;

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
  const stored = optionsOf((name) => {
    const column = name.toLowerCase();
    return values[name] !== undefined ? values[name] : openColumn(ctx.cipher, column, before?.[column]);
  });
  assertOptions({ type: type.name, noun: 'storage location', declared: type.kind.options }, stored);
  const options = optionValues(type.kind.options, stored);
  assertLimits(options);
  type.kind.validate({ id: before?.fileobjectid ?? 0, name, options });
  for (const [column, bytesMax] of secretColumns) {
    const value = values[column];
    if (typeof value !== 'string' || value === '') continue;
    if (Buffer.byteLength(value) > bytesMax) throw bad(column, `at most ${bytesMax} bytes`);
    values[column] = sealColumn(ctx.cipher, column.toLowerCase(), value);
  }
}

/** Returns the location's name. It never changes, because documents and templates store it. */
function checkName(
  ctx: Pick<Context, 'providers'>,
  values: Values<typeof fileObject>,
  before: StoredLocation | undefined,
): string {
  const sent = values.FileObject;
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
  const sent = values.FileObjectType ?? before?.fileobjecttype;
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
  if (values.FileObjectType !== undefined) values.FileObjectType = name;
  return { name, kind: ctx.providers.get(FILE_OBJECT_TYPE, name) };
}

/** Clears secrets that are not sent again when a location moves: whoever could redirect them would read them. */
function dropSecrets(values: Values<typeof fileObject>, before: StoredLocation | undefined): void {
  if (!before) return;
  const isChanged = (name: ColumnName<typeof fileObject>): boolean =>
    values[name] !== undefined && (values[name] ?? '') !== (before[name.toLowerCase()] ?? '');
  // The first host key is no move: nothing was ever sent without one.
  const isElsewhere = DESTINATION_COLUMNS.some(isChanged) || (isChanged('HostKey') && (before['hostkey'] ?? '') !== '');
  if (!isElsewhere) return;
  for (const name of secretColumns.keys()) if (values[name] === undefined) values[name] = null;
}

function assertLimits({ ConnectionsMax: connectionsMax = 1, TimeoutSeconds: timeoutSeconds = 1 }: OptionValues): void {
  if (Number(connectionsMax) < 1 || Number(connectionsMax) > CONNECTIONS_MAX)
    throw bad('ConnectionsMax', `between 1 and ${CONNECTIONS_MAX}`);
  if (Number(timeoutSeconds) < 1 || Number(timeoutSeconds) > TIMEOUT_SECONDS_MAX)
    throw bad('TimeoutSeconds', `between 1 and ${TIMEOUT_SECONDS_MAX}`);
}
