/** Modules whose operations bulk changes call. */
export const uses = ['importfile'] as const;
