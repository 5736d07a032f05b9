/** The modules whose operations worklist templates call: their worklists, and the matrices created for them. */
export const uses = ['matrix', 'smartworklist'] as const;
