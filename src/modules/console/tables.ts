/**
 * Tables of this area that belong to no record type: the cases whose summaries are out of date, and how far changes
 * have been looked at for notifications.
 */
export const tables = ['casechange', 'notificationposition'] as const;
