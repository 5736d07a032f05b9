import type { AnyRow } from '../../../kernel/declare/catalog.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { recordId } from '../../../kernel/door/answer.ts';
import type { Markup } from '../../../kernel/render/markup.ts';
import { buttonLink } from '../design/button.ts';
import type { PageCall } from '../page-call.ts';
import { mailLink } from './mail-link.ts';

/** Renders the link from a letter or mailing to the mailing's page, and from a document to the page that mails it. */
export function mailingLinks(call: PageCall, record: RecordType, row: AnyRow): Markup | false {
  if (record.name === 'Attachment') return mailLink(call, [recordId(record, row)], 'Mail');
  const { DeliveryBatchID: id } = row;
  if (!['Delivery', 'DeliveryBatch'].includes(record.name) || typeof id !== 'number') return false;
  return call.may('deliverybatch/select') && buttonLink({ text: 'Open mailing', href: `/mailings/${id}` });
}
