import { createTransport, type Transporter } from 'nodemailer';
import { answerParent, type CpuUsage } from '../lib/child.ts';
import { BODY, CONNECTIONS, SUBJECT } from './sample-mail.ts';

/** Mails over each connection, as in the product. */
const MAILS_PER_CONNECTION = 100;

/** The requests that nodemailer's process handles. */
export type NodemailerHandlers = typeof handlers;

let transporter: Transporter | undefined;

/** Opens a pool to a mail server on this machine. */
function start(port: number): void {
  transporter = createTransport({
    pool: true,
    host: '127.0.0.1',
    port,
    ignoreTLS: true,
    maxConnections: CONNECTIONS,
    maxMessages: MAILS_PER_CONNECTION,
  });
}

/** Sends mails, one to each recipient; returns the seconds that it took. */
async function send(mails: number): Promise<number> {
  const pool = transporter;
  if (!pool) throw new Error('not started');
  const began = performance.now();
  await Promise.all(
    Array.from({ length: mails }, (_, n) =>
      pool.sendMail({
        from: 'cases@cases.example',
        to: `recipient${n}@receiver.example`,
        subject: SUBJECT,
        text: BODY,
      }),
    ),
  );
  return (performance.now() - began) / 1_000;
}

const handlers = { start, send, cpu: (_: undefined): CpuUsage => process.cpuUsage() };

answerParent(handlers, () => transporter?.close());
