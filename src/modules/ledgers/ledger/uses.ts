/**
 * The modules whose operations ledgers call: the invoice of an approved ledger is a document; the lines of an import
 * are reversed after its end.
 */
export const uses = ['attachment', 'importfile'] as const;
