import type { Log } from '../kernel/ports/log.ts';
import { isLoopback } from '../kernel/security/outbound.ts';
import type { Connection } from '../kernel/database/store.ts';

/** What encrypts connections to the database, by mode, in words for people. */
const encryption: Readonly<Record<NonNullable<Connection['ssl']>, string>> = {
  disable: 'not encrypted',
  prefer: 'encrypted if the server offers it',
  require: 'encrypted, server not verified',
  'verify-ca': 'encrypted, certificate verified, host name not compared',
  'verify-full': 'encrypted, server verified',
};

/** Returns how connections to the database are encrypted, in words for people. */
export function encryptionText({ ssl = 'disable' }: Connection): string {
  return encryption[ssl];
}

/** Logs how connections to the database are encrypted; a warning if they are not, to another machine. */
export function logEncryption(connection: Connection, log: Log): void {
  const { host, port, ssl = 'disable' } = connection;
  const facts = { host, port, sslmode: ssl };
  if (ssl === 'disable' && !isThisMachine(host))
    log.warn(
      'connections to the database are not encrypted: all data and the password can be read and changed on the way. ' +
        'Enable TLS on the server and set sslmode=verify-full in DATABASE_URL',
      facts,
    );
  else log.info(`connections to the database: ${encryptionText(connection)}`, facts);
}

/** Whether a host is this machine, as far as its name tells: a socket's folder, or a loopback address. */
function isThisMachine(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || isLoopback(host);
}
