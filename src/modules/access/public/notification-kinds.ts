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
  'Payment',
] as const;

/** One of {@link notificationKinds}. */
export type NotificationKind = (typeof notificationKinds)[number];
