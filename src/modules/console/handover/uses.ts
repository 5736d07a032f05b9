/** Queued and recurring calls of a user are in the queue, which only its module reads. */
export const uses = ['queue'] as const;
