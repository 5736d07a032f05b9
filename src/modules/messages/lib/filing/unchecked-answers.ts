import type { Db } from '../../../../kernel/database/store.ts';
import { checkingServer, UNNAMED_SERVER, usualServer } from '../../../../lib/mail/checking-servers.ts';
import type { ReferredMessage } from './answered-messages.ts';
import type { MailToFile } from './filing.ts';
import { senderProofOf } from './sender-proof.ts';

/** A mail whose sender nobody has checked, and what it may answer. */
interface UncheckedAnswer {
  readonly file: MailToFile;
  /** The message that it answers. */
  readonly message: ReferredMessage;
  /** All messages that it refers to by their own Message-IDs. */
  readonly referred: readonly ReferredMessage[];
}

/**
 * Whether a mail may be filed although nobody has proven its sender: only with a mail server that does not check
 * senders, as far as is known, and only as an answer to a mail of ours, from an address to which that very mail was
 * sent. Its Message-ID is random and known only to those who have seen it.
 */
export async function countsUnchecked(db: Db, { file, message, referred }: UncheckedAnswer): Promise<boolean> {
  const { mailbox, mail } = file;
  const isDefault = (mailbox.senderProof ?? '') === '' && (mailbox.authenticationServer ?? '').trim() === '';
  if (!isDefault || !mail.from) return false;
  const sameThread = referred.filter(({ threadId }) => threadId === message.threadId);
  if (!(await wasSentTo(db, sameThread, mail.from.address))) return false;
  // Mail of the same look may have been stored since the mailbox was read.
  const [now] = await db.query<{ checkingServers: string | null }>(
    `select checkingservers as "checkingServers" from mailinbound
     where mailinboundid = $1::bigint and sendercheckssince is null`,
    [mailbox.id],
  );
  return now !== undefined && isUnsuspicious(file, usualServer(now.checkingServers).name);
}

/** Whether a mail of ours that is one of these was sent to an address. */
async function wasSentTo(db: Db, messages: readonly ReferredMessage[], address: string): Promise<boolean> {
  if (messages.length === 0) return false;
  const [row] = await db.query<{ wasSent: boolean }>(
    `select exists (
       select from jsonb_array_elements_text($1::text::jsonb) id
       join message m on m.messageid = id::bigint and m.mailinboundid is null and m.status is distinct from 'Draft'
       join messagerecipient r on r.messageid = m.messageid
       where r.category in (0, 1, 2) and coalesce(r.status, '') not in ('Suppressed', 'Inactive')
         and lower(r.messagerecipient::text collate "C") = $2::text) as "wasSent"`,
    [JSON.stringify(messages.map(({ messageId }) => messageId)), address.trim().toLowerCase()],
  );
  return row?.wasSent === true;
}

/**
 * Whether the topmost header of a mail gives no reason to doubt its sender. Where one server checks most mail, a mail
 * that it did not check came another way; and a check that failed counts whoever wrote it.
 */
function isUnsuspicious({ mail }: MailToFile, usual: string | undefined): boolean {
  const [topmost] = mail.authentication;
  if (usual !== undefined && checkingServer(mail.authentication) !== usual) return false;
  if (!topmost) return true;
  const as = { host: '', senderProof: null, authenticationServer: topmost.server || UNNAMED_SERVER };
  return senderProofOf(as, mail).proof !== 'Failed';
}
