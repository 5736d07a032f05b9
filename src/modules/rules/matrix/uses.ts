/** The modules whose operations matrices call. */
export const uses = ['matrixdimension', 'matrixmeasure'] as const;
