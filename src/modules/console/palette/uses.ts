/** The palette finds records as any search of all types does, and words in documents. */
export const uses = ['attachment', 'record'] as const;
