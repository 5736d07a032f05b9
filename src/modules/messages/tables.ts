/** Tables of this area that belong to no record type. */
export const tables = ['messageread', 'securelinkcode', 'securelinkread'] as const;
