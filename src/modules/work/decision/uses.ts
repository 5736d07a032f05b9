/** The modules whose operations workflows call. Operations named by a template are not listed. */
export const uses = ['importfile', 'importform', 'matrix', 'message', 'smartworklistmember'] as const;
