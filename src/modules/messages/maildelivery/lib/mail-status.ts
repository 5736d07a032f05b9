import type { Recipient } from './mail-content.ts';

/** The status of a mail after an attempt or a report. */
export type MailStatus = 'Waiting' | 'Sent' | 'Partly' | 'Failed' | 'Unknown';

/** Returns the status of a mail from those of its recipients. */
export function mailStatusOf(recipients: readonly Recipient[]): MailStatus {
  const statuses = new Set(recipients.map(({ Status }) => Status));
  if (statuses.has('Waiting')) return 'Waiting';
  if (statuses.has('Unknown')) return 'Unknown';
  if (!statuses.has('Refused') && !statuses.has('Bounced')) return 'Sent';
  return statuses.has('Accepted') || statuses.has('Delivered') ? 'Partly' : 'Failed';
}
