/**
 * Tables of the kernel without a record type: change history, idempotency keys, the version of the configuration,
 * sign-in failures.
 */
export const tables = [
  'configurationversion',
  'history',
  'history_default',
  'historyknown',
  'idempotency',
  'signinfailure',
] as const;
