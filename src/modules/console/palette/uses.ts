/** The palette finds records as any search of all types does. */
export const uses = ['record'] as const;
