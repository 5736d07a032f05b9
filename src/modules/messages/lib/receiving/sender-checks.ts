import type { MailInbound } from '../../../../contracts/mail-inbound.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { AuthenticationResults } from '../../../../lib/mail/authentication-results.ts';
import {
  checkingServer,
  REMEMBERED_MAILS_MAX,
  rememberedServers,
  rememberServers,
} from '../../../../lib/mail/checking-servers.ts';
import { MailParseError } from '../../../../lib/mail/parsed-mail.ts';
import { parseMails } from '../../../../lib/mail/parse-mail.ts';
import { isChecked } from '../filing/sender-proof.ts';
import { recordSenderChecks, type Mailbox } from './mailboxes.ts';

/** What is stored of how the server of a mailbox checks senders; changed with each mail. */
export interface SenderChecks {
  checkingServers: string | null;
  isSeen: boolean;
  /** Settles when the last change is stored. */
  stored: Promise<void>;
}

type CheckedMail = { readonly authentication: readonly AuthenticationResults[] };

/** Returns what was stored when the mailbox was read. */
export function knownSenderChecks({ checkingServers, senderChecksSince }: Mailbox): SenderChecks {
  return { checkingServers, isSeen: senderChecksSince !== null, stored: Promise.resolve() };
}

/** Stores which servers checked mails, the newest last, before any of these mails is filed. */
export async function noteSenderChecks(
  look: { readonly ctx: Context; readonly mailbox: Mailbox; readonly senderChecks: SenderChecks },
  mails: readonly CheckedMail[],
): Promise<void> {
  const { ctx, mailbox, senderChecks } = look;
  if (mails.length === 0) return;
  const servers = mails.map(({ authentication }) => checkingServer(authentication));
  const checkingServers = rememberServers(senderChecks.checkingServers, servers);
  const isSeen = senderChecks.isSeen || mails.some((mail) => isChecked(mailbox, mail));
  if (checkingServers === senderChecks.checkingServers && isSeen === senderChecks.isSeen) return senderChecks.stored;
  Object.assign(senderChecks, { checkingServers, isSeen });
  // Parts of a mailbox are stored concurrently; their changes are written one after the other, in order.
  const write = (): Promise<void> => recordSenderChecks(ctx, mailbox, checkingServers, isSeen);
  senderChecks.stored = senderChecks.stored.then(write, write);
  await senderChecks.stored;
}

/** Finds out from the newest mails on the server which servers check senders, and stores it. */
export async function findSenderChecks(ctx: Context, mailbox: Mailbox, reader: MailInbound): Promise<void> {
  const headers = (await reader.newestHeaders?.(REMEMBERED_MAILS_MAX)) ?? [];
  const parsed = headers.length === 0 ? [] : await parseMails(headers);
  const mails = parsed.filter((mail) => !(mail instanceof MailParseError)) as readonly CheckedMail[];
  if (mails.length === 0) return;
  const servers = mails.map(({ authentication }) => checkingServer(authentication));
  const known = mailbox.checkingServers;
  // Received mail may have been moved: then more is known of it than of what is left in the folder.
  const checkingServers =
    known !== null && rememberedServers(known).length > servers.length ? known : rememberServers(null, servers);
  const isSeen = mails.some((mail) => isChecked(mailbox, mail));
  await recordSenderChecks(ctx, mailbox, checkingServers, isSeen);
}
