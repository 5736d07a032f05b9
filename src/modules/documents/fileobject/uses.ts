/** The modules whose operations watches over storage locations call. */
export const uses = ['attachment'] as const;
