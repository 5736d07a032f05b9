/** What a notification can be about. Users may mute each. */
export const notificationKinds = [
  'Stage',
  'Hold',
  'Date',
  'Document',
  'Message',
  'Task',
  'Mention',
  'Assignment',
] as const;
