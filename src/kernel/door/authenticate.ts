import type { Operation } from '../declare/operation.ts';
import type { Platform } from '../ports/platform.ts';
import type { Principal } from '../security/identity.ts';
import type { Call } from './call.ts';
import { PlatformError } from './errors.ts';

const anonymousPrincipal: Principal = {
  personId: 0,
  name: '',
  organizationId: null,
  roles: [],
  universal: false,
  permissions: new Set(),
};

/**
 * Returns who calls, as the credentials prove.
 * @throws NOT_SIGNED_IN for wrong credentials, and for none unless the operation is open to everybody; TOO_MANY
 */
export async function authenticate(
  platform: Platform,
  call: Call,
  operation: Operation | undefined,
): Promise<Principal> {
  if (call.credential) return platform.identity.authenticate(call.credential, call.address);
  // Queued calls need a user: otherwise anybody could fill the queue.
  if (operation?.access !== 'anonymous' || call.route.queued) throw new PlatformError('NOT_SIGNED_IN');
  await platform.usage.countCall({ personId: 0, address: call.address });
  return anonymousPrincipal;
}
