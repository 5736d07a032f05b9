/** Tables of this area that belong to no record type. */
export const tables = [
  'decisiondelaystate',
  'decisionstepattempt',
  'decisiontemplatecontent',
  'importformdraft',
  'workclaim',
  'worklistmatch',
] as const;
