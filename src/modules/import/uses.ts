/** The modules whose operations imports call. */
export const uses = ['attachment', 'contact', 'decisiondelay', 'foreclosure', 'importform', 'ledger', 'ledgeritem', 'loan', 'message', 'property', 'publicrecord'] as const;
