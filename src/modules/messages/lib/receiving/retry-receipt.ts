import type { MailHead } from '../../../../contracts/mail-inbound.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { DocumentRow, StagedDocument } from '../../../../kernel/ports/documents.ts';
import type { mailReceipt } from '../../mailreceipt/mailreceipt.record.ts';
import { lockSetAside } from './receipt-rows.ts';

import type { Mailbox } from './mailboxes.ts';
import { storeClaimed, storeOrSetAside } from './store-mail.ts';
import { isOlder } from './store-part.ts';
import { stagedFiles, takeAgain } from './taken-mail.ts';

/** A mail that was set aside, with the document of its source. */
export interface SetAsideMail {
  readonly id: number;
  readonly receipt: Row<typeof mailReceipt>;
  readonly raw: DocumentRow;
}

/** Stores a mail from its stored source, as if it were received now. Returns the staged files, to be discarded. */
export async function retryReceipt(
  ctx: Context,
  mailbox: Mailbox,
  { id, receipt, raw }: SetAsideMail,
): Promise<readonly StagedDocument[]> {
  const head: MailHead = {
    folder: receipt.Folder ?? '',
    uidValidity: receipt.UidValidity ?? '',
    uid: receipt.Uid ?? '',
    receivedDate: receipt.ReceivedDate ?? receipt.CreatedDate,
    size: receipt.Size ?? 0,
    headerHash: receipt.HeaderHash ?? '',
  };
  const source = await ctx.documents.content(raw);
  const taken = await takeAgain(ctx, head, source.open());
  await storeOrSetAside(ctx, taken, (content, problem) =>
    ctx.inTransaction(async (own) => {
      if (!(await lockSetAside(own, id))) return undefined;
      const again = { ...taken, content, problem, heading: taken.content?.mail ?? taken.heading };
      return storeClaimed(own, {
        mailbox,
        receiptId: id,
        isSilent: isOlder(mailbox, taken.head),
        taken: again,
        isRetry: true,
      });
    }),
  );
  return stagedFiles(taken);
}
