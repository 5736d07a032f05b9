/** Tables that control queues. */
export const tables = ['queuecontrol'] as const;
