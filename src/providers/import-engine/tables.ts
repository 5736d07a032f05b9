/** Tables of staged imports: which staging tables are in use, and how far a step is. */
export const tables = ['staging.casewright_step', 'staginguse'] as const;
