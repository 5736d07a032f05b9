/** The modules whose operations tasks call: a task that waits for something to be mended stands on a worklist. */
export const uses = ['smartworklistmember'] as const;
