/** A test gateway with a customer and ledgers to be charged. */
import type { Client, Row } from '../client.ts';

/** What the tests of payments use. */
export interface PaymentWorld {
  readonly providerId: number;
  /** Adds a record with a customer, an active method from a token, and returns them. */
  payer(token?: string): Promise<Payer>;
}

/** Who pays. */
export interface Payer {
  readonly object: string;
  readonly objectId: number;
  readonly customerId: number;
  readonly method: Row;
  /** Adds a ledger of the payer's record with one unpaid line for each amount. */
  ledger(...amounts: readonly string[]): Promise<number>;
}

/** Saves a gateway, by default a test gateway. */
export async function paymentWorld(
  admin: Client,
  gateway: { readonly PaymentProvider: string } & Row = { PaymentProvider: 'Trial', PaymentProviderType: 'test' },
): Promise<PaymentWorld> {
  const name = gateway.PaymentProvider;
  const provider = await admin.save('paymentprovider', gateway);
  let serial = 0;
  return {
    providerId: Number(provider['PaymentProviderID']),
    async payer(token = 'test_visa') {
      const contact = await admin.save('contact', { LastName: `Payer ${++serial}`, FirstName: name });
      const objectId = Number(contact['ContactID']);
      const of = { Object: 'Contact', ObjectID: objectId };
      const customer = await admin.save('paymentcustomer', { ...of, Name: `Payer ${serial}` });
      const customerId = Number(customer['PaymentCustomerID']);
      const method = await admin.expectOk('paymentmethod/vault', {
        ...of,
        PaymentCustomerID: customerId,
        Token: token,
      });
      return {
        object: 'Contact',
        objectId,
        customerId,
        method,
        async ledger(...amounts) {
          const Items = amounts.map((AmountMoney, n) => ({
            LedgerItem: `Line ${n + 1}`,
            AmountMoney,
            IsDebit: true,
            IsTotaled: true,
          }));
          return Number((await admin.save('ledger', { ...of, Ledger: `Fees ${serial}`, Items }))['LedgerID']);
        },
      };
    },
  };
}
