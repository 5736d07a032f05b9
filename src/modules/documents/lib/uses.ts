/** The modules whose operations the code that the modules of this area share calls. */
export const uses = ['attachment'] as const;
