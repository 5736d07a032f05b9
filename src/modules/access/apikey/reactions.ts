import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { assertKeyLimits } from './lib/key-limits.ts';
import { apiKey } from './apikey.record.ts';

export const checks = [
  defineCheck({
    on: apiKey,
    doc: 'Refuses inserts except by apikey/create, which alone can show the key; a save changes limits only.',
    run(_ctx, { values, id }) {
      if (id === undefined)
        throw new PlatformError('STATE_REFUSES', {
          message:
            'Create keys with apikey/create, which returns the key once. save changes the limits of an existing key.',
        });
      if (values.PersonID !== undefined)
        throw new PlatformError('STATE_REFUSES', {
          field: 'PersonID',
          message: 'PersonID: the user of a key cannot change; create another key instead.',
        });
      assertKeyLimits(values.AllowedNetworks, values.RateLimitPerMinute);
    },
  }),
];
