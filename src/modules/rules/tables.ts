/** Tables of this area that belong to no record type. */
export const tables = ['matrixcontent', 'matrixacceptance'] as const;
