/** The modules whose operations tasks call: a paused task is put on a worklist. */
export const uses = ['smartworklistmember'] as const;
