import { ImapFlow } from 'imapflow';
import { answerParent, type CpuUsage } from '../lib/child.ts';
import { PASSWORD } from './dovecot.ts';

/** The requests that imapflow's process handles. */
export type ImapFlowHandlers = typeof handlers;

let address: { readonly port: number; readonly user: string } | undefined;

/** Says which mailbox is read. */
function start(mailbox: { readonly port: number; readonly user: string }): void {
  address = mailbox;
}

/** Fetches the sources of all mails of the INBOX; returns their number, and the seconds with the sign-in. */
async function fetchAll(): Promise<{ readonly mails: number; readonly seconds: number }> {
  if (!address) throw new Error('not started');
  const began = performance.now();
  const client = new ImapFlow({
    host: '127.0.0.1',
    port: address.port,
    secure: false,
    auth: { user: address.user, pass: PASSWORD },
    logger: false,
  });
  await client.connect();
  let mails = 0;
  try {
    await client.mailboxOpen('INBOX', { readOnly: true });
    for await (const { source } of client.fetch('1:*', { uid: true, source: true })) if (source) mails += 1;
  } finally {
    await client.logout();
  }
  return { mails, seconds: (performance.now() - began) / 1_000 };
}

const handlers = {
  start,
  fetchAll,
  cpu: (): CpuUsage => process.cpuUsage(),
};

answerParent(handlers);
