import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const apiKey = defineRecord({
  name: 'ApiKey',
  title: 'API key',
  doc: 'A key with which a program calls as a user. The key is shown once and stored only as a hash.',
  reach: 'none',
  collections: { PersonID: 'ApiKeys' },
  labelDoc: 'A display name for the key.',
  finalStatuses: ['Revoked'],
  fields: {
    PersonID: required(f.id({ label: 'User', doc: 'The user that calls with the key run as.', to: 'Person' })),
    KeyHash: computed(f.secret({ doc: 'SHA-256 of the key, hexadecimal.', max: 64 })),
    KeyStart: computed(
      f.text({
        label: 'Begins with',
        doc: 'The first characters of the key, by which its holder recognizes it.',
        max: 20,
        exact: true,
      }),
    ),
    Expires: f.timestamp({ doc: 'When the key expires.' }),
    AllowedNetworks: f.text({
      doc: 'Networks in CIDR notation that may use the key, comma-separated; empty for any.',
      max: 2000,
      exact: true,
    }),
    RateLimitPerMinute: f.integer({
      label: 'Calls per minute',
      doc: 'Most calls a minute with the key; empty for the limit of its user (CallsPerMinuteMax).',
    }),
    RevokedDate: computed(f.timestamp({ label: 'Revoked', doc: 'When it was revoked.' })),
  },
});
