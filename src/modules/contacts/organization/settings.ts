import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const registrationEnabled = defineSetting(
  'RegistrationEnabled',
  f.boolean({
    doc:
      'Whether anyone can register an organization, or as a user of one with its Lookup code. If off, only ' +
      'administrators can.',
  }),
  false,
);
export const registrationRoles = defineSetting(
  'RegistrationRoles',
  f.text({
    doc: 'The roles of registering users, comma-separated. A role with universal access is never given.',
    max: 1000,
  }),
  'Partner',
);
export const registrationDays = defineSetting(
  'RegistrationDays',
  f.integer({ doc: 'Days within which a registration can be confirmed. It is then removed.' }),
  7,
  { range: [1, 3650] },
);
export const registrationProcesses = defineSetting(
  'RegistrationProcesses',
  f.text({
    doc:
      'The processes that a registration may start after confirmation, one `Name: Module/Operation?Parameters` ' +
      'per line. The caller names one. `{OrganizationID}`, `{PersonID}`, `{Organization}`, `{Email}`, ' +
      '`{FirstName}` and `{LastName}` are filled in. It runs as the built-in user.',
    max: 10000,
  }),
  '',
);
export const registrationsPerAddressMax = defineSetting(
  'RegistrationsPerAddressMax',
  f.integer({
    doc: 'Most registrations with one mail address per hour. ' + 'Further ones get the same answer but have no effect.',
  }),
  3,
  { range: [1, 1_000_000] },
);
export const registrationsPerNetworkMax = defineSetting(
  'RegistrationsPerNetworkMax',
  f.integer({
    doc:
      'Most registrations, and failed confirmations, from one network (256 addresses, or a /48 of IPv6) per ' +
      'hour. Further ones are refused.',
  }),
  20,
  { range: [0, 1_000_000] },
);
export const registrationsPerHourMax = defineSetting(
  'RegistrationsPerHourMax',
  f.integer({ doc: 'Most registrations per hour in total. Further ones are refused.' }),
  200,
  { range: [0, 1_000_000] },
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
