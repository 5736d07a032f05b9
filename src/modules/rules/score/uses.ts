/** The modules whose operations scores call: what an engine has filled in is kept as a document. */
export const uses = ['attachment'] as const;
