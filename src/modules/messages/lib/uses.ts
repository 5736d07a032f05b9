/** The modules whose operations the shared code of messages calls. */
export const uses = ['attachment', 'objectlink'] as const;
