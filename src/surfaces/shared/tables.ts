/** Tables of the job queue pg-boss, and our own about its queues. */
export const tables = ['pgboss.job', 'pgboss.queue', 'queuecontrol', 'queuepause'] as const;
