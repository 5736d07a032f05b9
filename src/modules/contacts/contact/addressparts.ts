import { GEOCODER, type PostalPlaces } from '../../../contracts/geocoder.ts';
import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { addressParts, LINE_CHARACTERS_MAX } from './lib/address/address-parts.ts';

export const operation = defineOperation({
  module: 'contact',
  name: 'AddressParts',
  method: 'GET',
  summary:
    'Splits a one-line address into street, city, state and postal code. The street is returned word for ' +
    'word; a postal code supplies city and state if the line lacks them. Parts that are not found are absent.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: { Address: required(f.personal({ doc: 'The address, on one line.', max: LINE_CHARACTERS_MAX })) },
  returns: {
    Address: f.personal({
      doc: 'The street line: house number, street and unit, or the box.',
      max: LINE_CHARACTERS_MAX,
    }),
    City: f.personal({ doc: 'The city.', max: LINE_CHARACTERS_MAX }),
    State: f.text({ doc: 'The two letters of the state.', max: 2 }),
    PostalCode: f.personal({ doc: 'Five digits, or nine with a dash.', max: 10 }),
  },
  answerName: 'AddressParts',
  errors: ['MISSING_PARAMETER', 'BAD_PARAMETER'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { Address }) =>
  item('AddressParts', operation.returns, addressParts(Address, placesOf(ctx))),
);

/** Returns the first table of places that a geocoder has. */
function placesOf(ctx: Context): PostalPlaces {
  for (const name of ctx.providers.names(GEOCODER)) {
    const { places } = ctx.providers.get(GEOCODER, name);
    if (places) return places;
  }
  throw new PlatformError('UNAVAILABLE', { message: 'No geocoder with a table of places is registered.' });
}
