/** Tables of this area that belong to no record type. */
export const tables = ['apikeyuse', 'limitedevent', 'usagecount'] as const;
