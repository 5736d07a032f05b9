import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const apiKey = defineRecord({
  name: 'ApiKey',
  doc: 'A key by which a program calls as its person. The key itself is shown once and kept only as a hash.',
  reach: 'none',
  collections: { PersonID: 'ApiKeys' },
  labelDoc: 'A name by which people know the key.',
  finalStatuses: ['Revoked'],
  fields: {
    PersonID: required(f.id({ doc: 'Whom calls with the key run as.', to: 'Person' })),
    KeyHash: computed(f.secret({ doc: 'SHA-256 of the key, hexadecimal.', max: 64 })),
    KeyStart: computed(
      f.text({ doc: 'The first characters of the key, by which its holder recognises it.', max: 20, exact: true }),
    ),
    Expires: f.timestamp({ doc: 'When it stops working.' }),
    AllowedNetworks: f.text({
      doc: 'Networks in CIDR notation from which it may be used, comma-separated; empty for any.',
      max: 2000,
      exact: true,
    }),
    RateLimitPerMinute: f.integer({ doc: 'How many calls it may make in a minute; empty for no limit.' }),
    RevokedDate: computed(f.timestamp({ doc: 'When it was revoked.' })),
  },
});
