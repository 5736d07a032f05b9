/** The modules whose operations worklists call to cancel and audit items. */
export const uses = ['smartworklistmember'] as const;
