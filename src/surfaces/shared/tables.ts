/** Tables of the job queue pg-boss. */
export const tables = ['pgboss.job', 'pgboss.queue'] as const;
