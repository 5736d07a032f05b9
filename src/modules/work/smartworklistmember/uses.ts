/** The modules whose operations items call: team matrices decide where they go. */
export const uses = ['matrix'] as const;
