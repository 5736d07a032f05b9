/**
 * Tables of the kernel without a record type: change history, recent inserts, idempotency keys, drafts, the
 * version of the configuration, sign-in attempts and failures, slow searches.
 */
export const tables = [
  'configurationversion',
  'history',
  'history_default',
  'historyknown',
  'idempotency',
  'recordadded',
  'recorddraft',
  'signinattempt',
  'signinfailure',
  'slowsearch',
] as const;
