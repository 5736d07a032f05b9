/** The modules whose operations messages call. */
export const uses = ['score'] as const;
