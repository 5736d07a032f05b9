import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ImapFlow } from 'imapflow';
import postgres from 'postgres';
import { readMail } from '../../src/lib/mail/read-mail.ts';
import { mailLimits } from '../../src/lib/mail/parsed-mail.ts';
import { answerParent, type CpuUsage } from '../lib/child.ts';
import type { BenchConnection } from '../lib/database.ts';
import { PASSWORD } from './dovecot.ts';

/** The requests that the loop's process handles. */
export type HandLoopHandlers = typeof handlers;

/** The mailbox, and where the mails are stored. */
export interface HandLoopStart {
  readonly port: number;
  readonly user: string;
  readonly connection: BenchConnection;
  readonly folder: string;
}

let started: (HandLoopStart & { readonly sql: postgres.Sql }) | undefined;

async function start(mailbox: HandLoopStart): Promise<void> {
  const sql = postgres({ ...mailbox.connection, max: 1, onnotice: () => undefined });
  await sql.unsafe(
    `create table handmail (id bigint generated always as identity primary key, uid bigint not null unique,
       mailid text, subject text, sender text, body text, received timestamptz, file text)`,
  );
  started = { ...mailbox, sql };
}

/**
 * What somebody would write in an afternoon: fetches the mails of the INBOX, parses each with the product's parser,
 * writes its source to a file that is synced, and inserts a row. Attachments are not stored, nothing is filed, and
 * nobody else reads the mailbox. Returns the number of mails, and the seconds with the sign-in.
 */
async function receiveAll(): Promise<{ readonly mails: number; readonly seconds: number }> {
  if (!started) throw new Error('not started');
  const { port, user, folder, sql } = started;
  await sql.unsafe('truncate handmail');
  const below = join(folder, 'hand');
  rmSync(below, { recursive: true, force: true });
  mkdirSync(below);
  const began = performance.now();
  const auth = { user, pass: PASSWORD };
  const client = new ImapFlow({ host: '127.0.0.1', port, secure: false, auth, logger: false });
  await client.connect();
  let mails = 0;
  try {
    await client.mailboxOpen('INBOX', { readOnly: true });
    const query = { uid: true, source: true, internalDate: true };
    for await (const { uid, source, internalDate } of client.fetch('1:*', query)) {
      if (!source) continue;
      const { messageId, subject, from, text } = await readMail(new Uint8Array(source), mailLimits({}));
      const path = join(below, `${randomUUID()}.eml`);
      const file = await open(path, 'wx');
      await file.writeFile(source);
      await file.sync();
      await file.close();
      await sql.unsafe(
        `insert into handmail (uid, mailid, subject, sender, body, received, file)
         values ($1::bigint, $2::text, $3::text, $4::text, $5::text, $6::timestamptz, $7::text)`,
        [uid, messageId, subject, from?.address ?? null, text, new Date(internalDate ?? 0).toISOString(), path],
        { prepare: true },
      );
      mails += 1;
    }
  } finally {
    await client.logout();
  }
  return { mails, seconds: (performance.now() - began) / 1_000 };
}

const handlers = {
  start,
  receiveAll,
  cpu: (): CpuUsage => process.cpuUsage(),
};

answerParent(handlers, () => started?.sql.end());
