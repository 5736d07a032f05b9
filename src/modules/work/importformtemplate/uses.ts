/** The modules whose operations task types call: one creates a worklist. */
export const uses = ['smartworklisttemplate'] as const;
