import type { MailHead } from '../../../../contracts/mail-inbound.ts';
import type { Mailbox } from './mailboxes.ts';
import type { MailContent } from './taken-mail.ts';

/**
 * Returns the name of the lock under which the receipts of one mail are compared, which several mailboxes may receive
 * at the same time.
 */
export function mailLock({ id, organizationId }: Mailbox, head: MailHead, { mail }: MailContent): string {
  const key =
    mail.messageId === null ? `mailbox ${id} ${head.headerHash}` : `firm ${organizationId ?? 0} ${mail.messageId}`;
  return `received mail ${key}`;
}
