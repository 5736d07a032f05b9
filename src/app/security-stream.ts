import { createSocket } from 'node:dgram';
import { hostname } from 'node:os';
import { pino } from 'pino';
import type { Log } from '../kernel/ports/log.ts';
import { ConfigurationError } from './configuration-error.ts';

/** Where entries of the security log go besides the database: a file, a standard stream, or a syslog receiver. */
export type SecurityStreamTarget =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stdout' | 'stderr' }
  | { readonly kind: 'syslog'; readonly host: string; readonly port: number };

/** Takes an entry of the security log. */
export type SecurityStream = (entry: Readonly<Record<string, unknown>>) => void;

/** The syslog priority of a notice of the facility `authpriv`. */
const SYSLOG_PRIORITY = 10 * 8 + 5;
const SYSLOG_PORT = 514;

/** Returns the target of the variable CASEWRIGHT_SECURITY_LOG; undefined if it is empty. */
export function securityStreamTarget(text: string): SecurityStreamTarget | undefined {
  if (text === '') return undefined;
  if (text === 'stdout' || text === 'stderr') return { kind: text };
  if (text.startsWith('/')) return { kind: 'file', path: text };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'syslog:' || url.hostname === '')
    throw new ConfigurationError(
      'CASEWRIGHT_SECURITY_LOG: expected the absolute path of a file, stdout, stderr, or syslog://host:514',
    );
  return { kind: 'syslog', host: url.hostname, port: Number(url.port || SYSLOG_PORT) };
}

/**
 * Opens a stream of security events: one JSON object per entry. A file is created readable by its owner only and
 * appended to. Syslog messages (RFC 5424) are sent by UDP. A failure is logged and stops nothing: the database has the
 * entry.
 */
export function openSecurityStream(target: SecurityStreamTarget, log: Log): SecurityStream {
  if (target.kind === 'syslog') return openSyslog(target, log);
  const dest = target.kind === 'file' ? target.path : { stdout: 1, stderr: 2 }[target.kind];
  const destination = pino.destination({ dest, sync: true, append: true, mode: 0o600 });
  destination.on('error', () => log.error('the stream of security events cannot be written'));
  return (entry) => void destination.write(`${JSON.stringify(entry)}\n`);
}

function openSyslog({ host, port }: { readonly host: string; readonly port: number }, log: Log): SecurityStream {
  const socket = createSocket('udp4').unref();
  socket.on('error', () => log.error('security events cannot be sent to syslog'));
  return (entry) => {
    const head = `<${SYSLOG_PRIORITY}>1 ${String(entry['time'])} ${hostname()} casewright ${process.pid} security -`;
    socket.send(`${head} ${JSON.stringify(entry)}`, port, host, (error) => {
      if (error) log.error('security events cannot be sent to syslog');
    });
  };
}
