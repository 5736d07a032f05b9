/** The modules whose operations rules call: a rule's stylesheet is also a document on it. */
export const uses = ['attachment'] as const;
