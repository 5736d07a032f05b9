import { FILE_OBJECT, FILE_OBJECT_TYPE, type FileObjectType } from '../../../../contracts/file-object.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import type { fileObject } from '../fileobject.record.ts';
import { checkProvider } from '../../../../lib/saved-providers/provider-record.ts';
import { locationRecord, type StoredLocation } from './stored-locations.ts';

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
  checkProvider(locationRecord, ctx.cipher, { id: before?.FileObjectID ?? 0, name, type, values, before });
}

/** Returns the location's name. It never changes, because documents and templates store it. */
function checkName(
  ctx: Pick<Context, 'providers'>,
  values: Values<typeof fileObject>,
  before: StoredLocation | undefined,
): string {
  const sent = values.FileObject;
  if (before) {
    if (sent !== undefined && sent !== before.FileObject)
      throw new PlatformError('STATE_REFUSES', {
        field: 'FileObject',
        message:
          'FileObject: a storage location cannot be renamed, because documents refer to it by name; create ' +
          'another location.',
      });
    return before.FileObject;
  }
  if (typeof sent !== 'string' || !/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(sent))
    throw bad('FileObject', 'a name of letters, digits, spaces, periods, _ and -');
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
  const sent = values.FileObjectType ?? before?.FileObjectType;
  const known = ctx.providers.names(FILE_OBJECT_TYPE);
  const name = known.find((each) => typeof sent === 'string' && each.toLowerCase() === sent.toLowerCase());
  if (name === undefined) throw bad('FileObjectType', `a kind of storage: ${known.join(', ')}`);
  if (before && before.FileObjectType.toLowerCase() !== name.toLowerCase())
    throw new PlatformError('STATE_REFUSES', {
      field: 'FileObjectType',
      message:
        'FileObjectType: the kind of a storage location cannot change, because its files are stored there; ' +
        'create another location.',
    });
  if (values.FileObjectType !== undefined) values.FileObjectType = name;
  return { name, kind: ctx.providers.get(FILE_OBJECT_TYPE, name) };
}
