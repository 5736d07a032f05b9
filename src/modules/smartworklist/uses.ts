/** The modules whose operations worklists call: audit matrices decide what is looked at again. */
export const uses = ['matrix'] as const;
