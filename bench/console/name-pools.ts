import { seededRandom } from '../../src/app/demo/random.ts';

/** Surnames and first names as common as in the United States, the most common first. */
const SURNAMES =
  `Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson
  Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis Robinson
  Walker Young Allen King Wright Scott Torres Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera Campbell
  Mitchell Carter Roberts Delgado Whitfield Kowalski Castellano`.split(/\s+/);
const FIRST_NAMES =
  `James Mary Michael Patricia Robert Jennifer John Linda David Elizabeth William Barbara Richard Susan
  Joseph Jessica Thomas Karen Christopher Sarah Charles Lisa Daniel Nancy Matthew Sandra Anthony Ashley Mark Emily
  Maria Angela Hector Joanna Marisol`.split(/\s+/);
const STREET_KINDS = ['Ave', 'St', 'Ln', 'Ct', 'Dr', 'Rd', 'Ter', 'Pl'];

const ONSETS = 'B Br C Ch Cl D Dr F Fr G Gr H J K Kr L M N P Pr R S Sch Sh St T Th Tr V W'.split(' ');
const MIDDLES = 'a e i o u ai ei oa'.split(' ');
const JOINTS = 'b ck d dr f g l ll m mb n nd nn nt p r rd rl rr rs s ss st t tt v x z'.split(' ');
const ENDINGS = 'a en er es ey ham i in ington ino ley man o off ok on ova sen ski son stein ton us wood worth'.split(
  ' ',
);

/** How many names each pool has. */
export const POOL_SIZES = { surname: 20_000, first: 2_000, street: 4_000, city: 900 } as const;
export type Pool = keyof typeof POOL_SIZES;

/** Returns the names of all pools, the most common first. The same at every run. */
export function namePools(): Readonly<Record<Pool, readonly string[]>> {
  return {
    surname: filled(SURNAMES, POOL_SIZES.surname, 1),
    first: filled(FIRST_NAMES, POOL_SIZES.first, 2),
    street: filled([], POOL_SIZES.street, 3).map((name, n) => `${name} ${STREET_KINDS[n % STREET_KINDS.length] ?? ''}`),
    city: filled([], POOL_SIZES.city, 4),
  };
}

/** Adds invented names to known ones. */
function filled(known: readonly string[], size: number, seed: number): readonly string[] {
  const random = seededRandom(seed);
  const names = new Set(known);
  while (names.size < size) {
    const joint = random.chance(0.5) ? random.pick(JOINTS) + random.pick(MIDDLES) : '';
    names.add(random.pick(ONSETS) + random.pick(MIDDLES) + joint + random.pick(JOINTS) + random.pick(ENDINGS));
  }
  return [...names];
}
