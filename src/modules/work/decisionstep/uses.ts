/** The modules whose operations steps call. */
export const uses = ['decision'] as const;
