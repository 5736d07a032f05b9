import { readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerAddress, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { atEnd } from '../at-end.ts';
import { certificate } from './certificate.ts';
import type { CleanUp } from '../database.ts';
import { eventually } from '../eventually.ts';

/** A mail that a server has accepted, or a file that stores one. */
export interface ReceivedMail {
  /** The envelope: sender and recipients. */
  readonly from: string;
  readonly to: readonly string[];
  /** The raw text, lines ended by CR LF. */
  readonly raw: string;
  /** Returns a header's value, its folded lines joined; undefined if there is none. */
  header(name: string): string | undefined;
  /** The text of the body, quoted-printable decoded. */
  readonly body: string;
  readonly user?: string | undefined;
  readonly isSecure?: boolean;
}

/** What the server does with a command instead of accepting it: an error refuses it, `cut` drops the connection. */
export interface MailServerHooks {
  recipient?: (address: string) => Promise<Error | 'cut' | undefined> | Error | 'cut' | undefined;
  /** Called once the whole mail has arrived. */
  data?: (mail: ReceivedMail) => Promise<Error | 'cut' | undefined> | Error | 'cut' | undefined;
  /** Drops the connection after this many bytes of a mail. */
  cutAfterBytes?: number;
  signIn?: (user: string, secret: string, method: string) => boolean;
}

/** A mail server on this machine. */
export interface MailServer {
  readonly port: number;
  /** The accepted mails. */
  readonly mails: ReceivedMail[];
  readonly hooks: MailServerHooks;
  /** Connections made to it so far. */
  connections: number;
  /** Waits until this many mails have arrived. */
  until(count: number): Promise<readonly ReceivedMail[]>;
}

/** Returns a server's refusing reply. */
export function reply(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

/** Starts a mail server with the certificate of tests, by default with STARTTLS and without sign-in. */
export async function startMailServer(cleanUp: CleanUp, options: SMTPServerOptions = {}): Promise<MailServer> {
  const made: MailServer = {
    port: 0,
    mails: [],
    hooks: {},
    connections: 0,
    until: (count) => eventually(`${count} mails have come`, () => made.mails.length >= count && made.mails),
  };
  const cut = (session: SMTPServerSession): void => {
    for (const connection of server.connections)
      if (connection.session.id === session.id) (connection as unknown as { _socket: Socket })._socket.destroy();
  };
  const server = new SMTPServer({
    cert: certificate.cert,
    key: certificate.key,
    authOptional: true,
    authMethods: ['PLAIN', 'LOGIN', 'XOAUTH2'],
    closeTimeout: 100,
    onConnect(_session, done) {
      made.connections++;
      done();
    },
    onAuth({ username = '', password, accessToken, method }, _session, done) {
      if (made.hooks.signIn?.(username, password ?? accessToken ?? '', method)) done(null, { user: username });
      else done(reply(535, 'the credentials are not right'));
    },
    onRcptTo({ address }: SMTPServerAddress, session, done) {
      void Promise.resolve(made.hooks.recipient?.(address)).then((reply) =>
        reply === 'cut' ? cut(session) : done(reply),
      );
    },
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      let bytes = 0;
      stream.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes >= (made.hooks.cutAfterBytes ?? Infinity)) cut(session);
      });
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const mail = received(Buffer.concat(parts).toString('latin1'), {
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: session.user,
          isSecure: session.secure,
        });
        void Promise.resolve(made.hooks.data?.(mail)).then((reply) => {
          if (reply === 'cut') return cut(session);
          if (!reply) made.mails.push(mail);
          return done(reply);
        });
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  atEnd(cleanUp, () => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.server.address();
  return Object.assign(made, { port: typeof address === 'object' && address !== null ? address.port : 0 });
}

/** Parses a mail from its raw text. */
export function received(raw: string, of: Pick<ReceivedMail, 'from' | 'to' | 'user' | 'isSecure'>): ReceivedMail {
  const end = raw.indexOf('\r\n\r\n');
  const head = raw.slice(0, end).replace(/\r\n(?=[ \t])/g, '');
  const body = raw
    .slice(end + 4)
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return {
    ...of,
    raw,
    header: (name) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(head)?.[1]?.trim(),
    body: Buffer.from(body, 'latin1').toString('utf8'),
  };
}

/** Returns the mails stored in a folder, oldest first. */
export function mailsIn(folder: string): ReceivedMail[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .map((name) => {
      const mail = received(readFileSync(join(folder, name), 'latin1'), { from: '', to: [] });
      return {
        ...mail,
        from: mail.header('X-Envelope-From') ?? '',
        to: (mail.header('X-Envelope-To') ?? '').split(', '),
      };
    });
}
