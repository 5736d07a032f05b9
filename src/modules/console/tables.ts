/** Tables of this area that belong to no record type: the cases whose summaries are out of date. */
export const tables = ['casechange'] as const;
