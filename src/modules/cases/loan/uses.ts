/** The modules whose operations the assignment of loans calls. */
export const uses = ['matrix', 'organization'] as const;
