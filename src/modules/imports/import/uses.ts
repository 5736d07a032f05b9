/** Modules whose operations referral imports call. */
export const uses = [
  'attachment',
  'bankruptcy',
  'contact',
  'decision',
  'decisiondelay',
  'foreclosure',
  'importfile',
  'importform',
  'ledger',
  'ledgeritem',
  'loan',
  'message',
  'property',
  'publicrecord',
] as const;
