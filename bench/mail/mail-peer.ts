import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { answerParent, type CpuUsage } from '../lib/child.ts';

/** The requests that the mail server's process handles. */
export type MailPeerHandlers = typeof handlers;

let server: SMTPServer | undefined;

/** Starts a mail server without encryption that reads mails and keeps none; returns its port. */
async function start(_: undefined): Promise<number> {
  const started = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, _session, done) {
      stream.on('end', () => done());
      stream.resume();
    },
  });
  server = started;
  await new Promise<void>((resolve) => void started.listen(0, '127.0.0.1', () => resolve()));
  return (started.server.address() as AddressInfo).port;
}

const handlers = { start, cpu: (_: undefined): CpuUsage => process.cpuUsage() };

answerParent(handlers, () => server?.close());
