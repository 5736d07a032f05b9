/** The modules whose operations scores call: a document that an engine filled in is stored as an attachment. */
export const uses = ['attachment'] as const;
