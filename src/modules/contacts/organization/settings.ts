import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const registrationEnabled = defineSetting(
  'RegistrationEnabled',
  f.boolean({
    doc: 'Whether anybody may register an organization, or as a user of one by its Lookup code. Administrators may where it is off.',
  }),
  false,
);
export const registrationRoles = defineSetting(
  'RegistrationRoles',
  f.text({
    doc: 'Names of the roles that users who register get, comma-separated. A role with universal access is never given.',
    max: 1000,
  }),
  'Partner',
);
export const registrationDays = defineSetting(
  'RegistrationDays',
  f.integer({ doc: 'For how many days a registration can be confirmed; after that it is removed.' }),
  7,
);
export const registrationProcesses = defineSetting(
  'RegistrationProcesses',
  f.text({
    doc: 'What a registration may start once it is confirmed, one `Name: Module/Operation?Parameters` a line. The caller names one; `{OrganizationID}`, `{PersonID}`, `{Organization}`, `{Email}`, `{FirstName}` and `{LastName}` are filled in. It runs as the built-in user.',
    max: 10000,
  }),
  '',
);
export const registrationsPerAddressMax = defineSetting(
  'RegistrationsPerAddressMax',
  f.integer({ doc: 'Registrations with one mail address in an hour; further ones are answered alike and do nothing.' }),
  3,
);
export const registrationsPerNetworkMax = defineSetting(
  'RegistrationsPerNetworkMax',
  f.integer({
    doc: 'Registrations, and confirmations that fail, from one network (256 addresses, or a /48 of IPv6) in an hour; further ones are refused.',
  }),
  20,
);
export const registrationsPerHourMax = defineSetting(
  'RegistrationsPerHourMax',
  f.integer({ doc: 'Registrations from anywhere in an hour; further ones are refused.' }),
  200,
);

export const settings = [
  registrationEnabled,
  registrationRoles,
  registrationDays,
  registrationProcesses,
  registrationsPerAddressMax,
  registrationsPerNetworkMax,
  registrationsPerHourMax,
] as const;
