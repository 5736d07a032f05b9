import { createHash } from 'node:crypto';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { PageCall } from '../page-call.ts';

/** States of recipients whom a message did not reach, or perhaps did not. */
export const FAILED_STATES = ['Bounced', 'Refused', 'Unknown'] as const;
/** Most recipients to whom a message is sent again at once. */
export const RESENT_MAX = 1_000;

/**
 * Sends a message again to the recipients whom it did not reach; each keeps its kind, such as Bcc. Two requests at the
 * same time, as by a double click, send it once: they find the same recipients in the same state.
 *
 * @throws STATE_REFUSES if there are none
 */
export async function sendAgain(call: PageCall, id: number): Promise<void> {
  const { answer } = await call.call('messagerecipient/search', {
    MessageID: String(id),
    Status: [...FAILED_STATES],
    SqlColumns: 'MessageRecipientID,MessageRecipient,Category,Version',
    OrderBy: 'MessageRecipientID',
    DisplaySize: RESENT_MAX,
    RecordCount: 'false',
  });
  // Without addresses, `message/send` sends to all recipients.
  if (answer.rows.length === 0)
    throw new PlatformError('STATE_REFUSES', { message: 'The message reached all of its recipients, or still waits.' });
  const addresses = (category: number): string =>
    answer.rows
      .filter(({ Category }) => (Category ?? 0) === category)
      .map(({ MessageRecipient }) => MessageRecipient ?? '')
      .join(', ');
  const [to, cc, bcc] = [addresses(0), addresses(1), addresses(2)];
  const found = answer.rows.map(({ MessageRecipientID, Version }) => `${MessageRecipientID}/${Version}`);
  const key = createHash('sha256')
    .update(`send again ${id} ${found.join(' ')}`)
    .digest('hex');
  await call.callOnce(key, 'message/send', {
    ID: id,
    ...(to !== '' && { ToAddress: to }),
    ...(cc !== '' && { CcAddress: cc }),
    ...(bcc !== '' && { BccAddress: bcc }),
  });
}
