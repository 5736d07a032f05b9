/** The modules whose operations webhooks call. */
export const uses = ['webhookdelivery'] as const;
