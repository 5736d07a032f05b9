import { defineChecks } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { assertKeyLimits } from './lib/key-limits.ts';

export const checks = defineChecks([
  {
    on: 'ApiKey',
    doc: 'Keys are made by apikey/create, which alone can show them; a save changes their limits.',
    run(_ctx, _record, values, id) {
      if (id === undefined)
        throw new PlatformError('STATE_REFUSES', {
          message:
            'A key is made with apikey/create, which answers it once; save changes the limits of an existing key.',
        });
      if (values.has('personid'))
        throw new PlatformError('STATE_REFUSES', {
          field: 'PersonID',
          message: 'PersonID: a key stays with its person; make another one instead.',
        });
      assertKeyLimits(
        values.get('allowednetworks') as string | null | undefined,
        values.get('ratelimitperminute') as number | null | undefined,
      );
    },
  },
]);
