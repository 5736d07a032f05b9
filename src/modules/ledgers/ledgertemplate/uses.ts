/** The modules whose operations ledger templates call: a preview creates a ledger and rolls it back. */
export const uses = ['ledger'] as const;
