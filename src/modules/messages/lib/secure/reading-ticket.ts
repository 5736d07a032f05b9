import type { Context } from '../../../../kernel/door/context.ts';

/** How long a reader who has entered a code may read, in minutes. */
const TICKET_MINUTES = 30;
const PURPOSE = 'secure link ticket';

/** Returns proof that the reader of a link has entered its code. */
export function newTicket({ cipher, clock }: Pick<Context, 'cipher' | 'clock'>, linkId: number): string {
  const until = clock.milliseconds() + TICKET_MINUTES * 60_000;
  return cipher.seal(PURPOSE, `${linkId} ${until}`).toString('base64url');
}

/** Returns the link for which a ticket is valid now; undefined for anything else. */
export function linkOfTicket({ cipher, clock }: Pick<Context, 'cipher' | 'clock'>, ticket: string): number | undefined {
  if (!/^[\w-]{40,400}$/.test(ticket)) return undefined;
  try {
    const [id, until] = cipher.open(PURPOSE, Buffer.from(ticket, 'base64url')).toString().split(' ').map(Number);
    return id !== undefined && until !== undefined && until > clock.milliseconds() ? id : undefined;
  } catch {
    // It is not one of ours.
    return undefined;
  }
}
