/** The modules whose operations kinds of tasks call: a worklist is made for one. */
export const uses = ['smartworklisttemplate'] as const;
