/** The modules whose operations rules call: their stylesheets are documents on them. */
export const uses = ['attachment'] as const;
