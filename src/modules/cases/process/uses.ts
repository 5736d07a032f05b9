/** The modules whose operations cases call. */
export const uses = ['matrix'] as const;
