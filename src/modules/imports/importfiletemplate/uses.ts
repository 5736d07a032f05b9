/** The modules whose operations templates call. */
export const uses = ['importfile'] as const;
