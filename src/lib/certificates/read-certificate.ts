/** Reads until when the certificate of a server is valid. Nothing is sent to it but what starts TLS. */
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** How TLS starts on a connection: at once, or after a few bytes of another protocol. */
export type TlsStart = 'TLS' | 'SMTP' | 'PostgreSQL';

/** A server whose certificate is read. */
export interface CertificateServer {
  readonly host: string;
  readonly port: number;
  readonly start: TlsStart;
  /** Resolves the host and decides whether it may be connected to; `node:dns` by default. */
  readonly lookup?: LookupFunction;
}

/** Longest answer of a server before TLS starts, in bytes. */
const GREETING_BYTES_MAX = 8_192;

/**
 * Returns the instant at which the certificate of a server ends, whether or not its authority is trusted. Throws if
 * there is none within the time limit.
 */
export async function readCertificateEnd(server: CertificateServer, milliseconds: number): Promise<string> {
  const { host, port, start, lookup } = server;
  const socket = connect({ host, port, ...(lookup && { lookup }) });
  const timer = setTimeout(() => socket.destroy(new Error('no answer in time')), milliseconds);
  try {
    await event(socket, 'connect');
    await greetings[start](socket);
    const secure = connectTls({
      socket,
      rejectUnauthorized: false,
      ...(isIP(host) === 0 && { servername: host }),
    });
    const failed = event(socket, 'close').then(() => Promise.reject(new Error('the connection was closed')));
    await Promise.race([event(secure, 'secureConnect'), failed]);
    const end = Date.parse(secure.getPeerCertificate().valid_to);
    if (Number.isNaN(end)) throw new Error('no certificate');
    return new Date(end).toISOString();
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** What is exchanged before TLS starts. */
const greetings: Readonly<Record<TlsStart, (socket: Socket) => Promise<void>>> = {
  TLS: () => Promise.resolve(),
  async SMTP(socket) {
    await smtpReply(socket, '220');
    socket.write('EHLO casewright.invalid\r\n');
    await smtpReply(socket, '250');
    socket.write('STARTTLS\r\n');
    await smtpReply(socket, '220');
  },
  async PostgreSQL(socket) {
    // SSLRequest of the PostgreSQL protocol: its length and code.
    socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
    const answer = await readUntil(socket, (text) => text.length > 0);
    if (answer !== 'S') throw new Error('the server does not encrypt');
  },
};

async function smtpReply(socket: Socket, code: string): Promise<void> {
  const reply = await readUntil(socket, (text) => /^\d{3} [^\r\n]*\r?\n$/m.test(text));
  if (!reply.startsWith(code)) throw new Error(`the server answered ${reply.slice(0, 3)}`);
}

/** Reads text until it is whole, and leaves the socket paused. */
function readUntil(socket: Socket, isWhole: (text: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const end = (error?: Error): void => {
      socket.off('data', onData).off('close', onClose).off('error', end);
      socket.pause();
      if (error) reject(error);
      else resolve(text);
    };
    const onData = (data: Buffer): void => {
      text += data.toString('latin1');
      if (text.length > GREETING_BYTES_MAX) end(new Error('the answer is too long'));
      else if (isWhole(text)) end();
    };
    const onClose = (): void => end(new Error('the connection was closed'));
    socket.on('data', onData).on('close', onClose).on('error', end).resume();
  });
}

/** Waits for an event of a socket. Throws the socket's error. */
function event(socket: Socket, name: 'connect' | 'close' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(name, () => resolve()).once('error', reject);
  });
}
