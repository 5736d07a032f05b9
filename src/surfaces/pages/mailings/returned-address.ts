import type { AnyRow } from '../../../kernel/declare/catalog.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { recordId } from '../../../kernel/door/answer.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { completeAddress, isSameAddress, type AddressParts } from '../../../lib/postal/complete-address.ts';
import { shortDay } from '../days.ts';
import { banner } from '../design/banner.ts';
import { recordPath } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';

/** Returned letters of a contact that are compared with the present address. */
const COMPARED_MAX = 20;

/** Says on a contact that a letter came back from its present address; nothing once the address is corrected. */
export async function returnedAddress(call: PageCall, record: RecordType, row: AnyRow): Promise<Markup | false> {
  if (record.root.name !== 'Contact' || !call.may('delivery/search')) return false;
  const present = completeAddress(row as unknown as AddressParts);
  if ('problem' in present) return false;
  const { answer } = await call.call('delivery/search', {
    ContactID: String(recordId(record, row)),
    Status: 'Returned',
    OrderBy: ['-ReturnedDate'],
    DisplaySize: COMPARED_MAX,
    RecordCount: 'false',
  });
  const back = answer.rows.find(({ Street, City, State, PostalCode }) =>
    isSameAddress(present.address, {
      street: Street ?? '',
      city: City ?? '',
      state: State ?? '',
      postalCode: PostalCode ?? '',
    }),
  );
  if (!back) return false;
  const why = back.Reason === null ? '' : `: ${back.Reason}`;
  const when = back.ReturnedDate !== null && shortDay(call, back.ReturnedDate);
  const path = recordPath('delivery', back.DeliveryID);
  const link = html`<a class="link returned-link" href="${path}">A letter to this address came back</a>`;
  return banner({
    tone: 'warn',
    text: html`${link} ${when}<bdi>${why}</bdi>. Correct the address before you mail another.`,
  });
}
