import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const person = defineRecord({
  name: 'Person',
  title: 'User',
  doc: 'A user: someone who signs in, or a program that calls with an API key.',
  reach: 'one',
  labelDoc: 'The sign-in name, unique among users.',
  labelMax: 100,
  finalStatuses: ['Inactive'],
  triggers: {
    person_reach: 'Visible to the firm of its organization.',
    person_reach_changed: "Propagates a change of firm to the user's contacts.",
    person_reach_spread: 'Propagates a change of firm to the records below it.',
  },
  fields: {
    FirstName: f.personal({ doc: 'First name.', max: 100 }),
    LastName: f.personal({ doc: 'Last name.', max: 100 }),
    Email: f.personal({ doc: 'E-mail address.', max: 255 }),
    Password: f.secret({
      doc: 'Sets the password, at least 12 characters. Only a hash is stored; the password is never returned.',
      max: 255,
    }),
    InitialPasswordDate: {
      label: 'Initial password set',
      ...f.timestamp({ doc: 'When another user set the password, which its user has not changed since.' }),
      computed: true,
    },
    OrganizationID: f.id({
      label: 'Firm',
      doc: "The organization that the user belongs to. A partner's user sees what that firm can see.",
      to: 'Organization',
      grantsReach: true,
    }),
    Roles: f.text({ names: 'Role', doc: 'Names of roles, comma-separated.', max: 1000 }),
    LockedUntil: {
      ...f.timestamp({ doc: 'Sign-in is refused until this instant, after too many failures.' }),
      computed: true,
    },
  },
});
