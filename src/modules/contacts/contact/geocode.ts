import { list } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import {
  checkGeocodeParameters,
  DEFAULT_CONFIDENCE,
  Geocoders,
  missingPart,
  addressQuestion,
} from './lib/geocode/geocoders.ts';

const rows = {
  Address: f.personal({ doc: 'The street line, corrected where the building is known.', max: 255 }),
  City: f.personal({ doc: 'The city.', max: 255 }),
  State: f.text({ doc: 'The state.', max: 100 }),
  PostalCode: f.personal({ doc: 'The postal code.', max: 255 }),
  Country: f.text({ doc: 'The country.', max: 100 }),
  Latitude: f.decimal({ doc: 'Degrees north.' }),
  Longitude: f.decimal({ doc: 'Degrees east.' }),
  Confidence: f.integer({ doc: 'Confidence from 0 to 100 that this is the address meant.' }),
  MatchLevel: f.text({
    doc: 'The precision of the place: Address, Street, PostalCode or City, the middle of its area.',
    max: 20,
  }),
  Provider: f.text({ doc: 'The geocoder that returned it.', max: 100 }),
};

export const operation = defineOperation({
  module: 'contact',
  name: 'Geocode',
  method: 'GET',
  summary:
    'Returns the possible places of an address, best first, without saving. Takes Address and PostalCode, or ' +
    'City and State; more parts raise the confidence.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    Address: f.personal({ doc: 'The street line.', max: 255 }),
    City: f.personal({ doc: 'The city.', max: 100 }),
    State: f.text({ doc: 'The state, by its two letters or its name.', max: 50 }),
    PostalCode: f.personal({ doc: 'The postal code.', max: 20 }),
    Country: f.text({ doc: 'The country. Default: the United States.', max: 60 }),
    Confidence: f.integer({
      doc: 'Geocoders are queried in order until one reaches this confidence.',
      default: DEFAULT_CONFIDENCE,
    }),
    Provider: f.text({ doc: 'The only geocoder to query.', max: 100 }),
  },
  returns: 'list',
  answerName: 'Address',
  rows,
  errors: ['MISSING_PARAMETER', 'BAD_PARAMETER', 'UNKNOWN_PROVIDER', 'UNAVAILABLE'],
  source: '1-core §4, §7',
});

export const run = handle(operation, async (ctx, params) => {
  const question = addressQuestion(params);
  const missing = missingPart(question);
  if (missing !== undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: missing,
      message: `${missing} is required: geocoding takes Address and PostalCode, or City and State.`,
    });
  checkGeocodeParameters(ctx, params.Confidence, params.Provider);
  const { candidates, problems } = await new Geocoders(ctx, params.Confidence, params.Provider).ask(question);
  if (candidates.length === 0 && problems.length > 0)
    throw new PlatformError('UNAVAILABLE', { message: `${problems.join('; ')}.` });
  for (const problem of problems) ctx.alert({ code: 'UNAVAILABLE', text: `${problem}.` });
  return list(
    'Address',
    rows,
    candidates.map((candidate) => ({
      ...candidate,
      Latitude: candidate.Latitude.toFixed(6),
      Longitude: candidate.Longitude.toFixed(6),
    })),
  );
});
