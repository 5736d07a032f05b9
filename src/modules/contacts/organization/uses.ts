/** The modules whose operations registration calls. */
export const uses = ['contactmethod', 'maildelivery', 'person'] as const;
