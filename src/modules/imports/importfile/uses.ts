/** Modules whose operations imports call. */
export const uses = ['attachment', 'importfilequeue'] as const;
