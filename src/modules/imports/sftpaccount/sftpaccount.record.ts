import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const sftpAccount = defineRecord({
  name: 'SftpAccount',
  title: 'SFTP account',
  doc:
    'A sign-in to the sFTP server. A firm uploads files to its folder; files with matching names are ' +
    'imported in the name of its user.',
  reach: 'none',
  collections: { PersonID: 'SftpAccounts' },
  labelDoc: 'Name to sign in with: letters, digits, dots, hyphens and underscores. Unique.',
  labelMax: 60,
  fields: {
    PersonID: required(
      f.id({ label: 'User', doc: 'User as whom files are imported, for the firm of that user.', to: 'Person' }),
    ),
    Environment: f.text({
      doc:
        "Environment of the account; default: the installation's. Sign-in is refused if the setting " +
        'Environment differs.',
      max: 60,
    }),
    PublicKeys: f.text({
      doc:
        'Public keys to sign in with, one per line as OpenSSH writes them, at most 10: Ed25519, ECDSA, or RSA ' +
        'of at least 2048 bits.',
      max: 20000,
      exact: true,
    }),
    KeyFingerprints: computed(
      f.text({
        label: 'Key fingerprints',
        doc: 'Fingerprints of the keys, one per line with type and comment.',
        max: 4000,
        exact: true,
      }),
    ),
    AllowedNetworks: f.text({
      doc: 'Networks in CIDR notation from which the account can be used, comma-separated; all others are refused.',
      max: 2000,
      exact: true,
    }),
    Template: f.text({
      label: 'Import type',
      names: 'ImportFileTemplate',
      doc: 'The import type that its files are sent to.',
      max: 100,
      default: 'LegacyEvents',
    }),
    FileNames: f.text({
      label: 'File names',
      doc:
        'Patterns of the files that are imported, comma-separated; * stands for any characters and ? for one, ' +
        "and case matters. Other files stay in the home. Empty: the import type's option FileNames applies, as " +
        'over HTTP.',
      max: 1000,
      exact: true,
    }),
    Password: computed(f.secret({ doc: 'Hash of the password, if there is one.', max: 255 })),
    PasswordDate: computed(f.timestamp({ label: 'Password set', doc: 'When the password was created.' })),
  },
});
