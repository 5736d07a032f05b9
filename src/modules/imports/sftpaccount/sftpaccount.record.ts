import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const sftpAccount = defineRecord({
  name: 'SftpAccount',
  doc: 'An account of the sFTP server: a firm leaves files in its home, and those whose names fit are imported as its person.',
  reach: 'none',
  collections: { PersonID: 'SftpAccounts' },
  labelDoc: 'The name to sign in with: letters, digits, dots, hyphens and underscores. No two accounts share one.',
  labelMax: 60,
  fields: {
    PersonID: required(f.id({ doc: "Whom files are imported as; the firm is that user's.", to: 'Person' })),
    Environment: f.text({
      doc: 'The environment that the account belongs to; that of the installation where nothing is sent. Signing in is refused where the setting Environment says another.',
      max: 60,
    }),
    PublicKeys: f.text({
      doc: 'Public keys to sign in with, one a line as OpenSSH writes them, at most 10: Ed25519, ECDSA, or RSA of at least 2048 bits.',
      max: 20000,
      exact: true,
    }),
    KeyFingerprints: computed(
      f.text({ doc: 'The fingerprints of the keys, one a line with kind and comment.', max: 4000, exact: true }),
    ),
    AllowedNetworks: f.text({
      doc: 'Networks in CIDR notation from which it may be used, comma-separated; nobody gets in from elsewhere.',
      max: 2000,
      exact: true,
    }),
    Template: f.text({ doc: 'The import template that its files are sent to.', max: 100, default: 'LegacyEvents' }),
    FileNames: f.text({
      doc: 'Which files are imported, as comma-separated patterns in which * stands for any characters and ? for one; capital and small letters differ. Others are left in the home. Empty: those that the import template takes by HTTP too, as its option FileNames says.',
      max: 1000,
      exact: true,
    }),
    Password: computed(f.secret({ doc: 'The hash of the password, where there is one.', max: 255 })),
    PasswordDate: computed(f.timestamp({ doc: 'When the password was made.' })),
  },
});
