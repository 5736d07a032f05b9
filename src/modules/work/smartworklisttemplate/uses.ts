/** The modules whose operations kinds of worklists call: their worklists, and the matrices that are made for them. */
export const uses = ['matrix', 'smartworklist'] as const;
