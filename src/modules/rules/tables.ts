/** Tables of this area that belong to no record type. */
export const tables = ['matrixcontent', 'matrixdraft', 'matrixacceptance'] as const;
