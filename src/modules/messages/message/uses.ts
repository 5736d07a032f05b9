/** The modules whose operations messages call. */
export const uses = ['maildelivery', 'score'] as const;
