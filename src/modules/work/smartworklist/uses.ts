/** The modules whose operations worklists call: items are canceled and audited by their own. */
export const uses = ['smartworklistmember'] as const;
