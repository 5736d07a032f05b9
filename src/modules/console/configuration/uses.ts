/** Cells of matrices name other matrices, which only their module can tell. */
export const uses = ['matrix'] as const;
