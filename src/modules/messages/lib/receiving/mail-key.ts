import type { MailHead } from '../../../../contracts/mail-inbound.ts';
import type { Mailbox } from './mailboxes.ts';
import type { MailContent } from './taken-mail.ts';

/** Returns what two receipts of one mail have in common, for the lock under which they are compared. */
export function mailKey({ id, organizationId }: Mailbox, head: MailHead, { mail }: MailContent): string {
  return mail.messageId === null ? `mailbox ${id} ${head.headerHash}` : `firm ${organizationId ?? 0} ${mail.messageId}`;
}
