/** Tables of this area that belong to no record type. */
export const tables = ['mailcontent', 'mailpace', 'messageread', 'securelinkcode', 'securelinkread'] as const;
