import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { notificationKinds } from '../../access/public/notification-kinds.ts';

export const notification = defineRecord({
  name: 'Notification',
  doc: 'Something that happened and that one user wants to know. Deleted after 90 days.',
  reach: 'none',
  history: false,
  inSummary: false,
  collections: { PersonID: 'Notifications' },
  labelDoc: 'What happened, in words.',
  triggers: {
    notification_added: 'Notes new notifications, so that open pages count them.',
    notification_changed: 'Notes notifications that were read, for the same reason.',
  },
  fields: {
    PersonID: required(f.id({ label: 'User', doc: 'Who is notified.', to: 'Person' })),
    Object: required(
      f.text({
        label: 'Record type',
        doc: 'The type of the record that it is about, its concrete class.',
        max: 60,
        exact: true,
      }),
    ),
    ObjectID: required(f.id({ label: 'Number of the record', doc: 'The record.' })),
    Kind: required(f.choice(notificationKinds, { doc: 'What it is about.' })),
    Count: required(f.integer({ doc: 'How many events it combines.' })),
    ReadDate: f.timestamp({ doc: 'When the user read it.' }),
  },
});
