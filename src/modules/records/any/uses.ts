/** The modules whose operations the operations of every record type call. */
export const uses = ['matrix'] as const;
