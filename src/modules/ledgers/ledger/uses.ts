/** The modules whose operations ledgers call: the invoice of an approved ledger is a document. */
export const uses = ['attachment'] as const;
