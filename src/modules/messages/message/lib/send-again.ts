import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { MergeData } from '../../../../lib/merge/merge-data.ts';
import { gatherRecipients, warnMissing } from '../../lib/recipients/gather-recipients.ts';
import { addRecipients, storedRecipients, type StoredRecipient } from '../../lib/recipients/stored-recipients.ts';
import type { Composition } from '../../lib/sending/compose-message.ts';
import { kindOfStored } from '../../lib/sending/stored-kind.ts';
import type { message } from '../message.record.ts';
import { sendDraft } from './send-draft.ts';
import type { Sending } from './send-unsaved.ts';

/** Parameters that describe a new message: a saved one is sent as it is. */
const CONTENT = [
  'Template',
  'MessageTemplateID',
  'Object',
  'ObjectID',
  'Subject',
  'BodyText',
  'BodyHTML',
  'FromAddress',
  'FromName',
  'Priority',
  'SecureDelivery',
  'ParentMessageID',
  'MessageType',
  'Language',
  'AttachmentID',
] as const;

/** Sends a saved message to its recipients, or to the addresses of the call alone. */
export async function sendAgain(
  ctx: Context<typeof message>,
  row: Row<typeof message>,
  sent: Composition,
  values: Parameters,
): Promise<Sending> {
  assertOnlyAddresses(sent, values);
  const recipients = await recipientsOf(ctx, row, sent);
  const count = await sendDraft(ctx, row, { provider: sent.Provider, recipients });
  const { Status } = await readRecord(ctx.db, ctx.record, row.MessageID);
  return { MessageID: row.MessageID, MailDeliveryID: null, Recipients: count, Status };
}

async function recipientsOf(
  ctx: Context<typeof message>,
  row: Row<typeof message>,
  sent: Composition,
): Promise<readonly StoredRecipient[]> {
  const data = new MergeData(ctx, { values: {}, parent: undefined, method: null });
  const found = await gatherRecipients(ctx, {
    message: kindOfStored(row.MessageType),
    sent,
    template: undefined,
    data,
  });
  warnMissing(ctx, found);
  const stored = await storedRecipients(ctx, row.MessageID);
  if (found.recipients.length === 0) return stored;
  const chosen = await addRecipients(ctx, row.MessageID, found.recipients);
  const replies = stored.filter(({ category }) => category === 3);
  return chosen.some(({ category }) => category === 3) ? chosen : [...chosen, ...replies];
}

function assertOnlyAddresses(sent: Composition, values: Parameters): void {
  const named = CONTENT.find((name) => {
    const value = sent[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;
  });
  const [other = named] = Object.keys(values);
  if (other === undefined) return;
  throw new PlatformError('BAD_PARAMETER', {
    field: other,
    message:
      `${other.slice(0, 100)}: a saved message (ID) is sent as it is; expected addresses only. ` +
      'Change it with message/save, or write a new one.',
  });
}
