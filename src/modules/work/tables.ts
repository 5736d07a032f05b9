/** Tables of this area that belong to no record type. */
export const tables = ['decisiondelaystate', 'decisiontemplatecontent', 'worklistmatch'] as const;
