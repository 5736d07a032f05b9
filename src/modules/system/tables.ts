/** Tables of this area that belong to no record type. */
export const tables = [
  'demoworld',
  'healthmute',
  'publicaddresscheck',
  'queueretrycall',
  'queuesample',
  'searchindex',
  'servercertificate',
] as const;
