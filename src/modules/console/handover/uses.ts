/**
 * Queued and recurring calls of a user are in the queue, which only its module reads. Deactivating a user changes the
 * user, their keys and their sessions.
 */
export const uses = ['queue', 'person', 'apikey', 'session'] as const;
