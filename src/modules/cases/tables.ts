/** Tables of this area that belong to no record type: the last event about the status of each case. */
export const tables = ['eventstate'] as const;
