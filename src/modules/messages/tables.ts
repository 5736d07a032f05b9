/** Tables of this area that belong to no record type. */
export const tables = [
  'mailanswer',
  'mailboxlease',
  'mailcontent',
  'mailpace',
  'messagefile',
  'messageproposal',
  'messageread',
  'messagetext',
  'securelinkcode',
  'securelinkfile',
  'securelinkread',
] as const;
