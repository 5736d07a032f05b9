import type { Chance } from './random.ts';

/** A made-up person with a made-up mailing address. */
export interface Person {
  readonly firstName: string;
  readonly lastName: string;
  readonly ssn: string;
  readonly address: string;
  readonly city: string;
  readonly state: string;
  readonly postalCode: string;
}

/** A made-up address of a property. */
export type SampleAddress = Pick<Person, 'address' | 'city' | 'state' | 'postalCode'>;

const FIRST = [
  'Adela',
  'Amos',
  'Beatrix',
  'Bram',
  'Calla',
  'Cedric',
  'Daria',
  'Desmond',
  'Edith',
  'Elias',
  'Fiona',
  'Gideon',
  'Greta',
  'Hugo',
  'Imogen',
  'Ivo',
  'Jorun',
  'Josiah',
  'Karin',
  'Leander',
  'Lucia',
  'Magnus',
  'Mirela',
  'Nadine',
  'Orson',
  'Petra',
  'Quentin',
  'Rosalind',
  'Silas',
  'Tamsin',
  'Ulrich',
  'Verity',
  'Wendell',
  'Yara',
  'Zora',
  'José',
  'Zoë',
] as const;
const LAST = [
  'Abernock',
  'Birchwell',
  'Calloran',
  'Dunmarrow',
  'Ellsgrove',
  'Farrowmere',
  'Gantley',
  'Hollisk',
  'Ivermoor',
  'Jessamy',
  'Kestrand',
  'Lorrimond',
  'Marwick-Dene',
  'Nettleby',
  'Ostergard',
  'Pellerin',
  'Quillfeather',
  'Ravensworth',
  'Sandivar',
  'Thornquist',
  'Underhay',
  'Vossberg',
  'Wexcombe',
  'Yarborow',
  'Zelniker',
  "O'Dannery",
  'Núñez-Arlo',
  'St. Corrin',
] as const;
const STREET = [
  'Alder',
  'Bramble',
  'Chestnut',
  'Driftwood',
  'Elmhurst',
  'Foxglove',
  'Granite',
  'Heron',
  'Ironbridge',
  'Juniper',
  'Kingfisher',
  'Larkspur',
  'Millrace',
  'Orchard',
  'Pebble',
  'Quarry',
  'Sycamore',
  'Thistle',
  'Windmill',
] as const;
const KIND = ['Avenue', 'Court', 'Drive', 'Lane', 'Road', 'Street', 'Way'] as const;
const TOWN: readonly (readonly [city: string, state: string, zip: string])[] = [
  ['Fairhollow', 'NY', '10'],
  ['Eastmere', 'NJ', '07'],
  ['Granby Falls', 'OH', '44'],
  ['Port Callan', 'FL', '33'],
  ['Westering', 'IL', '60'],
  ['Mesa Alta', 'AZ', '85'],
  ['Red Ford', 'TX', '76'],
  ['Sable Creek', 'GA', '30'],
  ['Lindenau', 'PA', '18'],
  ['Harrowgate', 'CT', '06'],
];

/** Returns a fictitious address. */
export function placeOf(chance: Chance): SampleAddress {
  const [city, state, zip] = chance.pick(TOWN);
  const plusFour = chance.whole(0, 3) === 0 ? `-${chance.whole(1000, 9999)}` : '';
  return {
    address: `${chance.whole(2, 4999)} ${chance.pick(STREET)} ${chance.pick(KIND)}`,
    city,
    state,
    postalCode: `${zip}${String(chance.whole(100, 999))}${plusFour}`,
  };
}

/** The first three digits of a number that was never issued: 900 to 999, sometimes 000 or 666. */
function ssnArea(chance: Chance): string {
  const kind = chance.whole(0, 5);
  if (kind === 0) return '000';
  return kind === 1 ? '666' : String(chance.whole(900, 999));
}

/** Somebody who does not exist. The number is of an area that was never issued: 900 to 999, 000 or 666. */
export function personOf(chance: Chance): Person {
  const area = ssnArea(chance);
  const group = String(chance.whole(1, 99)).padStart(2, '0');
  const digits = `${area}-${group}-${String(chance.whole(1, 9999)).padStart(4, '0')}`;
  return {
    firstName: chance.pick(FIRST),
    lastName: chance.pick(LAST),
    ssn: chance.whole(0, 2) === 0 ? digits.replaceAll('-', '') : digits,
    ...placeOf(chance),
  };
}
