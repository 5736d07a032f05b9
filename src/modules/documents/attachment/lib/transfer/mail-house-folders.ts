import { MAIL_HOUSE } from '../../../../../contracts/delivery.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { isPlatformPath } from '../path-url.ts';
import type { FileLocation } from './file-location.ts';

const PERMISSION = 'MailHouseSave';

/**
 * Throws NO_PERMISSION for a path that the user chooses in a storage location of a mail house, unless the user may save
 * mail houses: a file there is taken for its report that a letter was mailed or delivered, even after the document that
 * brought it is gone.
 */
export function assertMayWrite(ctx: Context, { location, path }: FileLocation): void {
  if (ctx.user.permissions.has(PERMISSION) || isPlatformPath(path)) return;
  const isOfMailHouse = ctx.providers
    .names(MAIL_HOUSE)
    .some((name) => ctx.providers.get(MAIL_HOUSE, name).location?.toLowerCase() === location.toLowerCase());
  if (!isOfMailHouse) return;
  throw new PlatformError('NO_PERMISSION', {
    field: 'PathURL',
    message:
      `PathURL: a mail house leaves its reports in ${location}, so choosing a path there requires the permission ` +
      `${PERMISSION}, which is not granted to you. Omit PathURL, or name another location.`,
  });
}
