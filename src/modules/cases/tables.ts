/** Tables of this area that belong to no record type: the last event about each case, and assignments of loans. */
export const tables = ['eventstate', 'loanassignment', 'loanassignmentattempt'] as const;
