import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const session = defineRecord({
  name: 'Session',
  doc:
    "A user's browser session, from sign-in until it ends or expires. The token in the cookie is stored " +
    'only as a hash.',
  reach: 'none',
  history: false,
  collections: { PersonID: 'Sessions' },
  labelDoc: "The browser's User-Agent.",
  finalStatuses: ['Ended'],
  fields: {
    PersonID: required(f.id({ label: 'User', doc: 'Who signed in.', to: 'Person' })),
    TokenHash: computed(f.secret({ doc: "SHA-256 of the cookie's token, hexadecimal.", max: 64 })),
    PasswordMark: computed(
      f.secret({
        doc: "SHA-256 of the password's hash at sign-in, hexadecimal: changing the password ends the session.",
        max: 64,
      }),
    ),
    Address: computed(
      f.text({ label: 'Network address', doc: 'The network address of the sign-in.', max: 60, exact: true }),
    ),
    AuthenticationLevel: computed(
      f.text({ label: 'Signed in with', doc: 'What the user has proved: `Password`.', max: 20, exact: true }),
    ),
    AuthenticatedDate: computed(
      f.timestamp({ label: 'Signed in', doc: 'When the user last proved it, at sign-in or by confirming.' }),
    ),
    LastSeen: computed(f.timestamp({ doc: 'When the session was last used, to the minute.' })),
    Expires: computed(f.timestamp({ doc: 'When the session ends at the latest.' })),
    EndedDate: computed(
      f.timestamp({ label: 'Ended', doc: 'When the session was ended, by signing out or by an administrator.' }),
    ),
  },
});
