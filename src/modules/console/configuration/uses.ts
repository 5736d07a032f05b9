/** Cells of matrices name other matrices, which only their module can find. */
export const uses = ['matrix'] as const;
