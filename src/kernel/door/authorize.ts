import type { Operation } from '../declare/operation.ts';
import { changeOperations } from '../declare/registry.ts';
import type { Principal } from '../security/identity.ts';
import { PlatformError } from './errors.ts';

/**
 * Checks the operation's permission, and refuses firms' users what row-level security never gives them.
 * @throws NO_PERMISSION, PASSWORD_CHANGE_REQUIRED
 */
export function authorize(user: Principal, operation: Operation): void {
  if (user.mustChangePassword && operation.route !== 'person/changepassword')
    throw new PlatformError('PASSWORD_CHANGE_REQUIRED');
  if (operation.access !== 'permission') return;
  if (!user.permissions.has(operation.permissionName))
    throw new PlatformError('NO_PERMISSION', {
      message: `The permission ${operation.permissionName} is not granted to you.`,
    });
  const { record } = operation;
  if (user.universal || !record || operation.origin === 'statement') return;
  const isClosedToFirms =
    record.reach === 'none' ||
    (record.reach === 'configuration' && changeOperations.has(operation.name.toLowerCase())) ||
    operation.on === 'configuration';
  if (isClosedToFirms)
    throw new PlatformError('NO_PERMISSION', {
      message: `${record.name} records are for users with universal access.`,
    });
}
