import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const session = defineRecord({
  name: 'Session',
  doc: 'A sign-in of a person at a browser, from its start until it ends or expires. The token in the cookie is kept only as a hash.',
  reach: 'none',
  history: false,
  collections: { PersonID: 'Sessions' },
  labelDoc: 'The browser, as it names itself.',
  finalStatuses: ['Ended'],
  fields: {
    PersonID: required(f.id({ doc: 'Who signed in.', to: 'Person' })),
    TokenHash: computed(f.secret({ doc: "SHA-256 of the cookie's token, hexadecimal.", max: 64 })),
    PasswordMark: computed(
      f.secret({
        doc: "SHA-256 of the password's hash at sign-in, hexadecimal: a changed password ends the session.",
        max: 64,
      }),
    ),
    Address: computed(f.text({ doc: 'The network address that it was opened from.', max: 60, exact: true })),
    LastSeen: computed(f.timestamp({ doc: 'When it was last used, to the minute.' })),
    Expires: computed(f.timestamp({ doc: 'When it ends at the latest.' })),
    EndedDate: computed(f.timestamp({ doc: 'When it was ended, by signing out or by an administrator.' })),
  },
});
