import { once } from 'node:events';
import { createServer } from 'node:net';

/** Where a server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Returns why an address cannot be listened on, with the variables to set. */
export function listenError(
  error: unknown,
  { host, port }: Address,
  variables: Readonly<Record<keyof Address, string>>,
): unknown {
  const reason: Readonly<Record<string, string>> = {
    EADDRINUSE:
      `port ${port} of ${host} is in use by another program. ` +
      `Set ${variables.port} to a free port, or to 0 for any free port`,
    EACCES: `this user may not open port ${port}. Set ${variables.port} to a port above 1023`,
    EADDRNOTAVAIL:
      `this machine does not have the address ${host}. ` +
      `Set ${variables.host} to one of its addresses, or to 0.0.0.0 for all`,
    ENOTFOUND: `unknown host ${host}. Set ${variables.host} to an address of this machine`,
  };
  const known = reason[(error as NodeJS.ErrnoException).code ?? ''];
  return known === undefined ? error : new Error(known, { cause: error });
}

/** Opens a port and closes it again. Throws with the variable to set if that is not possible. */
export async function assertCanListen(
  { host, port }: Address,
  variables: Readonly<Record<keyof Address, string>>,
): Promise<void> {
  if (port === 0) return;
  const probe = createServer().listen({ host, port });
  try {
    await once(probe, 'listening');
  } catch (error) {
    throw listenError(error, { host, port }, variables);
  } finally {
    probe.close();
  }
}
