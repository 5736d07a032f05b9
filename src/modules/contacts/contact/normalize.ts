import { list } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { checkGeocodeParameters, DEFAULT_CONFIDENCE, defaultConfidence, Geocoders } from './lib/geocode/geocoders.ts';
import { normalizeContact, type NormalizeResult } from './lib/geocode/normalize-contact.ts';
import { normalizeRunSeconds } from './settings.ts';

const rows = {
  ContactID: required(f.id({ doc: 'The contact.' })),
  Outcome: required(
    f.text({
      doc:
        'Saved; or the reason for no change: Low Confidence, Not Found, Incomplete, Unavailable, Changed, ' +
        'Refused; or Queued for later.',
      max: 20,
    }),
  ),
  Confidence: f.integer({ doc: 'The confidence of the best match.' }),
  Provider: f.text({ doc: 'The geocoder that returned it.', max: 100 }),
  Reason: f.text({ doc: 'Why the contact was not changed.', max: 2500 }),
};

export const operation = defineOperation({
  module: 'contact',
  name: 'Normalize',
  method: 'GET',
  summary:
    'Looks up the address of each contact. If the best match reaches the confidence, saves its address, ' +
    'latitude and longitude with the geocoder and the time. Other contacts are unchanged, and the result ' +
    'says why. Contacts that would take too long are queued.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.idList({ doc: 'The contacts.' })),
    Confidence: f.integer({
      doc:
        `Minimum confidence from 0 to 100 for a match to be saved. Default: ${DEFAULT_CONFIDENCE}, or what the ` +
        'configured geocoders can reach if that is less; a warning says so.',
    }),
    Provider: f.text({
      doc: 'The only geocoder to query. Default: all in order, until one reaches the confidence.',
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

export const run = handle(operation, async (ctx, { ID, Confidence: sent, Provider }) => {
  checkGeocodeParameters(ctx, sent ?? DEFAULT_CONFIDENCE, Provider);
  const Confidence = sent ?? requiredConfidence(ctx, Provider);
  const geocoders = new Geocoders(ctx, Confidence, Provider);
  const done: NormalizeResult[] = [];
  const endsAt = performance.now() + ctx.settings.get(normalizeRunSeconds) * 1_000;
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

/** Returns the confidence of a call that sends none, and warns if it is lower than usual. */
function requiredConfidence(ctx: Context, provider: string | null | undefined): number {
  const confidence = defaultConfidence(ctx, provider);
  if (confidence < DEFAULT_CONFIDENCE)
    ctx.alert({
      code: 'CONFIDENCE_LOWERED',
      text:
        `Matches with a confidence of at least ${confidence} are saved. The available geocoders reach no more, since ` +
        'they know postal codes and cities but not buildings. To use one that knows buildings, set ' +
        'GeocoderCensusUrl. To require more, send Confidence.',
    });
  return confidence;
}

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
  ctx.alert({ code: 'QUEUED', text: `${rest.length} contacts remain; a queued call continues with them.` });
}
