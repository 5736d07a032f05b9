import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { insertRow } from '../../../kernel/records/save/insert-row.ts';
import { reachAll } from '../../../kernel/records/search/read.ts';
import { assertKeyLimits } from './lib/key-limits.ts';
import { hashOfKey, newApiKey, startOfKey } from './lib/api-key.ts';

export const operation = defineOperation({
  module: 'apikey',
  name: 'Create',
  method: 'POST',
  summary: 'Makes an API key for a person and answers it: this is the only time that it is shown.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    PersonID: required(f.id({ doc: 'Whom calls with the key run as.', to: 'Person' })),
    Name: f.text({ doc: 'A name by which people know the key.', max: 255 }),
    Expires: f.timestamp({ doc: 'When it stops working.' }),
    AllowedNetworks: f.text({
      doc: 'Networks in CIDR notation from which it may be used, comma-separated.',
      max: 2000,
    }),
    RateLimitPerMinute: f.integer({ doc: 'How many calls it may make in a minute.' }),
  },
  returns: {
    ApiKeyID: required(f.id({ doc: 'Identifies the key.' })),
    ApiKey: required(f.text({ doc: 'The key, to be sent as X-ApiKey.' })),
    PersonID: required(f.id({ doc: 'Whom calls run as.' })),
    KeyStart: required(f.text({ doc: 'Its first characters, which stay visible.' })),
    Expires: f.timestamp({ doc: 'When it stops working.' }),
  },
  errors: ['NOT_FOUND', 'BAD_PARAMETER'],
  source: '1-core §5',
});

export const run = handle(operation, async (ctx, { PersonID, Name, Expires, AllowedNetworks, RateLimitPerMinute }) => {
  assertKeyLimits(AllowedNetworks, RateLimitPerMinute);
  await reachAll(ctx, ctx.registry.requireRecord('Person', 'PersonID'), [PersonID]);
  const key = newApiKey();
  const row = await insertRow(
    ctx,
    ctx.record,
    new Map<string, unknown>([
      ['apikey', Name ?? `Key of ${ctx.clock.now().slice(0, 10)}`],
      ['status', 'Active'],
      ['personid', PersonID],
      ['keyhash', hashOfKey(key)],
      ['keystart', startOfKey(key)],
      ['expires', Expires ?? null],
      ['allowednetworks', AllowedNetworks ?? null],
      ['ratelimitperminute', RateLimitPerMinute ?? null],
    ]),
  );
  const ApiKeyID = Number(row['ApiKeyID']);
  await ctx.security({ event: 'KeyMade', object: 'ApiKey', objectId: ApiKeyID, detail: `for person ${PersonID}` });
  return item('ApiKey', operation.returns, {
    ApiKeyID,
    ApiKey: key,
    PersonID,
    KeyStart: startOfKey(key),
    Expires: Expires ?? null,
  });
});
