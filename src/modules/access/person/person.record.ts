import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const person = defineRecord({
  name: 'Person',
  doc: 'A user: someone who signs in, or a program that calls with an API key.',
  reach: 'one',
  labelDoc: 'The sign-in name; no two users share one.',
  labelMax: 100,
  finalStatuses: ['Inactive'],
  triggers: {
    person_reach: 'A firm reaches the users of its organization.',
    person_reach_changed: 'Hands a change of its firms on to its own contacts.',
    person_reach_spread: 'Hands a change of its firms on to what hangs below it.',
  },
  fields: {
    FirstName: f.personal({ doc: 'First name.', max: 100 }),
    LastName: f.personal({ doc: 'Last name.', max: 100 }),
    Email: f.personal({ doc: 'E-mail address.', max: 255 }),
    Password: f.secret({
      doc: 'Sets the password, at least 12 characters. Only a hash is kept; it is never answered.',
      max: 255,
    }),
    OrganizationID: f.id({
      doc: "The organization that the user belongs to; a partner's user reaches what is that firm's.",
      to: 'Organization',
      grantsReach: true,
    }),
    Roles: f.text({ doc: 'Names of roles, comma-separated.', max: 1000 }),
    LockedUntil: {
      ...f.timestamp({ doc: 'Until when signing in is refused after too many failures.' }),
      computed: true,
    },
  },
});
