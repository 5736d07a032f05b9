import { createRequire } from 'node:module';
import type { PostalPlaces } from '../../../contracts/geocoder.ts';

/** A line of the table. */
export interface ZipPlace {
  readonly zip: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly city: string;
  readonly state: string;
}

interface Table {
  readonly byZip: ReadonlyMap<string, ZipPlace>;
  readonly byState: ReadonlyMap<string, readonly ZipPlace[]>;
}

let loaded: Table | undefined;

/** The table, read when it is first asked: most processes never ask. */
function table(): Table {
  return (loaded ??= readTable());
}

/**
 * As the package has it the table takes 90 MB; its lines of the United States by themselves take 22, and the rest is
 * let go.
 */
function readTable(): Table {
  const require = createRequire(import.meta.url);
  const { codes } = require('zipcodes') as {
    readonly codes: Readonly<Record<string, ZipPlace & { readonly country: string }>>;
  };
  const places = Object.values(codes)
    .filter(({ country, zip }) => country === 'US' && /^\d{5}$/.test(zip))
    .map(({ zip, latitude, longitude, city, state }): ZipPlace => ({ zip, latitude, longitude, city, state }));
  for (const path of Object.keys(require.cache))
    if (/[\\/]node_modules[\\/]zipcodes[\\/]/.test(path)) Reflect.deleteProperty(require.cache, path);
  return {
    byZip: new Map(places.map((place) => [place.zip, place])),
    byState: Map.groupBy(places, (place) => place.state),
  };
}

/** The first five digits of a postal code of the United States. */
function fiveDigits(postalCode: string): string | undefined {
  return /^\s*(\d{5})(?:-?\d{4})?\s*$/.exec(postalCode.slice(0, 40))?.[1];
}

/** The line of a postal code. */
export function placeOfPostalCode(postalCode: string): ZipPlace | undefined {
  const zip = fiveDigits(postalCode);
  return zip === undefined ? undefined : table().byZip.get(zip);
}

/** A city's name as names are compared: `St. Louis` is Saint Louis. */
export function foldedCity(name: string): string {
  const plain = name
    .slice(0, 200)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
  return plain.replace(/^st /, 'saint ').replace(/^ste /, 'sainte ').replace(/^ft /, 'fort ').replace(/^mt /, 'mount ');
}

/** States, the district, and what else has postal codes of the United States. */
const names =
  'AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,DC ' +
  'District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS ' +
  'Kansas,KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS ' +
  'Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New ' +
  'Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,RI ' +
  'Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA ' +
  'Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming,PR Puerto Rico,VI Virgin Islands,GU ' +
  'Guam,AS American Samoa,MP Northern Mariana Islands,FM Micronesia,MH Marshall Islands,PW Palau,AA ' +
  'Armed Forces Americas,AE Armed Forces Europe,AP Armed Forces Pacific';

const codesByName = new Map(
  names.split(',').flatMap(
    (line) =>
      [
        [line.slice(0, 2).toLowerCase(), line.slice(0, 2)],
        [line.slice(3).toLowerCase(), line.slice(0, 2)],
      ] as const,
  ),
);

/** The two letters of a state by them or by its name. */
export function stateOf(text: string): string | undefined {
  return codesByName.get(text.slice(0, 60).trim().replaceAll('.', '').replace(/\s+/g, ' ').toLowerCase());
}

const citiesByState = new Map<string, ReadonlyMap<string, readonly ZipPlace[]>>();

function citiesOf(state: string): ReadonlyMap<string, readonly ZipPlace[]> {
  let cities = citiesByState.get(state);
  if (!cities)
    citiesByState.set(
      state,
      (cities = Map.groupBy(table().byState.get(state) ?? [], (place) => foldedCity(place.city))),
    );
  return cities;
}

/** The lines of a city, by the two letters of its state. */
export function placesOfCity(state: string, name: string): readonly ZipPlace[] {
  return citiesOf(state).get(foldedCity(name)) ?? [];
}

/** What the table knows of places, for those who take addresses apart. */
export const places: PostalPlaces = {
  byPostalCode(postalCode) {
    const place = placeOfPostalCode(postalCode);
    return place && { City: place.city, State: place.state };
  },
  cityOf: (state, name) => placesOfCity(state, name)[0]?.city,
  stateOf,
};
