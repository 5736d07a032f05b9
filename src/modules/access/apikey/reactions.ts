import { defineChecks } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { assertKeyLimits } from './lib/key-limits.ts';

export const checks = defineChecks([
  {
    on: 'ApiKey',
    doc: 'Refuses inserts except by apikey/create, which alone can show the key; a save changes limits only.',
    run(_ctx, _record, values, id) {
      if (id === undefined)
        throw new PlatformError('STATE_REFUSES', {
          message:
            'Create keys with apikey/create, which returns the key once. save changes the limits of an existing key.',
        });
      if (values.has('personid'))
        throw new PlatformError('STATE_REFUSES', {
          field: 'PersonID',
          message: 'PersonID: the user of a key cannot change; create another key instead.',
        });
      assertKeyLimits(
        values.get('allowednetworks') as string | null | undefined,
        values.get('ratelimitperminute') as number | null | undefined,
      );
    },
  },
]);
