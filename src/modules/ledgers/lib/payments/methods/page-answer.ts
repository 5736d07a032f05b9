import { f, required } from '../../../../../kernel/declare/field.ts';
import type { StartedPage } from './gateway-page.ts';

/** What the operations that open the gateway's page return. */
export const pageAnswer = {
  PaymentMethodID: required(f.id({ doc: 'The payment method.', to: 'PaymentMethod' })),
  Status: f.text({ doc: 'Its status: Requested.' }),
  URL: required(f.text({ doc: "The address of the gateway's page, for the browser of the user." })),
};

/** Returns the answer for the gateway's page of a method. */
export function pageRow({ row, url }: StartedPage): { PaymentMethodID: number; Status: string | null; URL: string } {
  return { PaymentMethodID: row.PaymentMethodID, Status: row.Status, URL: url };
}
