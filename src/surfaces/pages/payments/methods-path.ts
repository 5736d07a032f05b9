/** A record that is paid for: a case, a loan, a contact or an organization. */
export interface PayingRecord {
  readonly object: string;
  readonly id: number;
}

/** Returns the address of the payment methods of a record. */
export function methodsPath({ object, id }: PayingRecord): string {
  return `/payments/methods?${new URLSearchParams({ Object: object, ObjectID: String(id) }).toString()}`;
}

/** Returns the address at which a ledger is charged. */
export function chargePath(ledgerId: number): string {
  return `/payments/charge/${ledgerId}`;
}

/** Returns the address that leads to the gateway's page of a method that is being added. */
export function continuePath(methodId: number): string {
  return `/payments/methods/continue?ID=${methodId}`;
}
