/** The modules whose operations workflows call. What a template names is called besides. */
export const uses = ['importfile', 'importform', 'matrix', 'message', 'smartworklistmember'] as const;
