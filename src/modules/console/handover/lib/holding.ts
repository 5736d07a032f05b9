/** What a user can hold, in the order in which it is listed. */
export const holdingKinds = [
  'WorkItem',
  'Task',
  'Case',
  'View',
  'SharedView',
  'Follow',
  'ApiKey',
  'SftpAccount',
  'Session',
  'Import',
  'QueuedCall',
  'RecurringCall',
] as const;

/** What a user holds of one kind: one thing with a name, or several of a queue, type or operation. */
export interface Holding {
  readonly Kind: (typeof holdingKinds)[number];
  readonly Object: string | null;
  readonly ObjectID: number | null;
  readonly Name: string | null;
  readonly Detail: string | null;
  readonly HeldCount: number;
  readonly LastUsed: string | null;
}
