/** The modules whose operations items call: team matrices assign them. */
export const uses = ['matrix'] as const;
