import type { Context } from '../../../kernel/door/context.ts';
import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { insertRow } from '../../../kernel/records/save/insert-row.ts';
import { apiKeyDays } from './settings.ts';
import { assertKeyLimits } from './lib/key-limits.ts';
import { hashOfKey, newApiKey, startOfKey } from './lib/api-key.ts';

export const operation = defineOperation({
  module: 'apikey',
  name: 'Create',
  method: 'POST',
  summary: 'Creates an API key for a user and returns it. The key is shown only this once.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'PersonID',
  params: {
    PersonID: required(f.id({ doc: 'The user that calls with the key run as.', to: 'Person' })),
    Name: f.text({ doc: 'A display name for the key.', max: 255 }),
    Expires: f.timestamp({ doc: 'When the key expires; default: after the days of the setting ApiKeyDays.' }),
    AllowedNetworks: f.text({
      doc: 'Networks in CIDR notation that may use the key, comma-separated.',
      max: 2000,
    }),
    RateLimitPerMinute: f.integer({ doc: 'Most calls a minute with the key.' }),
  },
  secretAnswer: true,
  returns: {
    ApiKeyID: required(f.id({ doc: 'The ID of the key.' })),
    ApiKey: required(f.text({ doc: 'The key; send it as X-ApiKey.' })),
    PersonID: required(f.id({ doc: 'The user that calls run as.' })),
    KeyStart: required(f.text({ doc: 'The first characters of the key, which stay visible.' })),
    Expires: f.timestamp({ doc: 'When the key expires.' }),
  },
  errors: ['NOT_FOUND', 'BAD_PARAMETER'],
  source: '1-core §5',
});

export const run = handle(operation, async (ctx, { PersonID, Name, Expires, AllowedNetworks, RateLimitPerMinute }) => {
  assertKeyLimits(AllowedNetworks, RateLimitPerMinute);
  const key = newApiKey();
  const expires = Expires ?? defaultExpiry(ctx);
  const row = await insertRow(ctx, ctx.record, {
    ApiKey: Name ?? `Key of ${ctx.clock.now().slice(0, 10)}`,
    Status: 'Active',
    PersonID,
    KeyHash: hashOfKey(key),
    KeyStart: startOfKey(key),
    Expires: expires,
    AllowedNetworks: AllowedNetworks ?? null,
    RateLimitPerMinute: RateLimitPerMinute ?? null,
  });
  const ApiKeyID = row.ApiKeyID;
  await ctx.security({ event: 'KeyMade', object: 'ApiKey', objectId: ApiKeyID, detail: `for person ${PersonID}` });
  return item('ApiKey', operation.returns, {
    ApiKeyID,
    ApiKey: key,
    PersonID,
    KeyStart: startOfKey(key),
    Expires: expires,
  });
});

/** Returns when a key expires for which nothing else is sent; null for never. */
function defaultExpiry(ctx: Context): string | null {
  const days = ctx.settings.get(apiKeyDays);
  return days > 0 ? new Date(ctx.clock.milliseconds() + days * 86_400_000).toISOString() : null;
}
