import { list } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { reachAll } from '../../../kernel/records/search/read.ts';
import { checkGeocodeParameters, DEFAULT_CONFIDENCE, Geocoders } from './lib/geocode/geocoders.ts';
import { normalizeContact, type NormalizeResult } from './lib/geocode/normalize-contact.ts';
import { normalizeRunSeconds } from './settings.ts';

/** The longest that a call goes on, whatever the setting says: a worker that stops waits for it. */
const RUN_SECONDS_MAX = 60;

const rows = {
  ContactID: required(f.id({ doc: 'The contact.' })),
  Outcome: required(
    f.text({
      doc: 'Saved; or why it was left as it was: Low Confidence, Not Found, Incomplete, Unavailable, Changed, Refused; or Queued for later.',
      max: 20,
    }),
  ),
  Confidence: f.integer({ doc: 'How sure the best match is.' }),
  Provider: f.text({ doc: 'Who knew it.', max: 100 }),
  Reason: f.text({ doc: 'Why it was left as it was.', max: 2500 }),
};

export const operation = defineOperation({
  module: 'contact',
  name: 'Normalize',
  method: 'GET',
  summary:
    'Looks up the address of each contact; where the best match is sure enough its address, latitude and longitude are saved, with who verified them and when. The others are left as they are, and the answer says why. What takes long is queued.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.idList({ doc: 'The contacts.' })),
    Confidence: f.integer({ doc: 'From 0 to 100: how sure a match must be to be saved.', default: DEFAULT_CONFIDENCE }),
    Provider: f.text({
      doc: 'The only geocoder to ask; without one they are asked in their order until one is sure enough.',
      max: 100,
    }),
  },
  transactions: 'own',
  returns: 'list',
  answerName: 'Contact',
  rows,
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'UNKNOWN_PROVIDER', 'UNAVAILABLE'],
  source: '1-core §4, §8',
});

export const run = handle(operation, async (ctx, { ID, Confidence, Provider }) => {
  checkGeocodeParameters(ctx, Confidence, Provider);
  await reachAll(ctx, ctx.record, ID);
  const geocoders = new Geocoders(ctx, Confidence, Provider);
  const done: NormalizeResult[] = [];
  const endsAt = performance.now() + Math.min(RUN_SECONDS_MAX, ctx.settings.get(normalizeRunSeconds)) * 1_000;
  for (const id of ID) {
    if (done.length > 0 && performance.now() >= endsAt) break;
    done.push(await normalizeContact(ctx, id, geocoders, Confidence));
  }
  const rest = ID.slice(done.length);
  if (rest.length > 0) await queueRest(ctx, rest, Confidence, Provider);
  return list('Contact', rows, [
    ...done,
    ...rest.map((ContactID): NormalizeResult => ({ ContactID, Outcome: 'Queued' })),
  ]);
});

async function queueRest(
  ctx: Context,
  rest: readonly number[],
  confidence: number,
  provider: string | null | undefined,
): Promise<void> {
  await ctx.inTransaction((own) =>
    own.enqueue({
      route: 'contact/normalize',
      parameters: { ID: rest.join(','), Confidence: confidence, ...(provider ? { Provider: provider } : {}) },
      continuation: true,
    }),
  );
  ctx.alert({ code: 'QUEUED', text: `${rest.length} contacts are left and queued.` });
}
