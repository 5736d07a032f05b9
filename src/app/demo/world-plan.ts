import { seededRandom, type Random } from './random.ts';
import { workingTime } from './working-time.ts';

/** Cases of the demo that are played from their referral on, besides those of the sample referrals. */
const CASES = 120;
/** Cases of the office's former system, which have come with their result alone: they take a twentieth of the time. */
const FORMER_CASES = 80;
/** When those were referred, in days before the present, and how long they took. */
const FORMER_DAYS = { from: 380, to: 725 } as const;
const FORMER_DURATION_DAYS = { from: 110, to: 320 } as const;
/** Days over which they were referred. */
const DAYS = 720;
const SEED = 20_417;
/** How the demo's loan numbers begin. */
export const LOAN_PREFIX = '518';

const wordsOf = (text: string): readonly string[] => text.split(/\s+/);

const firstNames = wordsOf(
  `Marisol Hector Angela Joanna Linh Brendan Thabo Paulo Yusuf Arjun Vincent Margaret Terrence Ines
   Noel Priscilla Owen Farah Dmitri Lucille Ramon Bettina Cyrus Odette Walter Nadia Emmett Gloria Samir
   Helene Otis Renata Desmond Carla Ingrid Malik Yvette Ruben Dolores Clement Agnes Bernard Celeste Darnell
   Estelle Felix Georgina Harold Imani Jerome Katya Leopold Maeve Nikolai Ophelia Percy Quentin Rosa Silvio
   Tamara Ulrich Verna Wendell Ximena Yolanda Zachary Adela Boris Corinne Duncan`,
);
const lastNames = wordsOf(
  `Delgado Whitfield Kowalski Tran Gallagher Mbeki Pacheco Ibrahim Novak Castellano Osborne Andrade
   Delgrosso Holloway Lindqvist Marchetti Nguyen Haddad Greer Freeman Schaefer Rowley Quintero Ferreira
   Abernathy Bouchard Calloway Dubois Eklund Farnsworth Grimaldi Hatherley Iversen Jankowski Kilbride
   Lockridge Montrose Northcott Okonkwo Pemberton Ravensworth Santangelo Thibodeaux Underhill
   Valderrama Wetherby Yamazaki Zielinski Ashworth Bellamy Cavanaugh Drummond Esposito Fairbanks Goldstein
   Hawthorne Ingersoll Jimenez Kaminski Lombardi Mackenzie Nakamura Orlovsky Prescott Rosenthal Sandoval
   Tillman Urquhart Villanueva Winslow Yarborough Zamora Almeida Brannigan Cordova Devereaux Ellsworth
   Fitzgerald Gutierrez Hendricks Ismail Jorgensen Keating Laurent Maldonado Nwosu Olmstead Petrov
   Ridgeway Sorensen Takahashi Vandermeer Wexler Yeager Zimmerman Arceneaux Blackwood Chaudhry Dominguez
   Eastman Figueroa Gambino Hollister Ivanov Joshi Kessler Larrabee Moreau Nunez Oyelaran Pritchard
   Rasmussen Stavros Templeton Voss Wakefield Youngblood Zapata Amari Birchwood Crowley Demir Everhart
   Fontaine Galloway Hargrove Irving Jessup Kolawole Langford Mercer Niemi
   Abbott Barlow Cantrell Dorsey Eberhart Faulkner Giordano Hensley Ibsen Jankovic Kendrick Lattimore
   Macready Nightingale Ostrander Paxton Quigley Rutledge Sinclair Tanaka Ueda Vasco Whitlock Yancey Zeller
   Ainsley Baptiste Colby Draper Ennis Fenwick Grady Hollins Ingram Jolley Kirkland Lindgren Moseley Nadeau
   Overton Pickett Ransom Sheffield Trask Upton Vickers Wardlow Yates Zane Alcott Brewster Chandler Dunmore
   Elkins Farrow Garland Haverford Ivey Kerrigan Loomis Marlowe Norwood Orwig Peralta Renshaw Stroud
   Tolliver Whitaker`,
);
const streets = wordsOf(
  `Linden Carver Quarry Orchard Tidewater Bellevue Prospect Garrison Larkspur Old-Mill Union Juniper
   Harbor Foxglove Chestnut Meridian Sycamore Ferry Saddle Windmill`,
);
const streetKinds = ['Ave', 'St', 'Ln', 'Ct', 'Dr', 'Rd', 'Ter', 'Pl'];

/** Invented towns, each with a ZIP code of its state; the courts foreclose in some of the states only. */
const towns = [
  { city: 'Port Callan', state: 'FL', zip: '33861', judicial: true },
  { city: 'Ocala Springs', state: 'FL', zip: '34476', judicial: true },
  { city: 'Fairhollow', state: 'NY', zip: '10412', judicial: true },
  { city: 'Utica Mills', state: 'NY', zip: '13502', judicial: true },
  { city: 'Granby Falls', state: 'OH', zip: '44208', judicial: true },
  { city: 'Dayton Heights', state: 'OH', zip: '45406', judicial: true },
  { city: 'Paterson Grove', state: 'NJ', zip: '07503', judicial: true },
  { city: 'Red Ford', state: 'TX', zip: '76146', judicial: false },
  { city: 'Laredo Bluff', state: 'TX', zip: '78041', judicial: false },
  { city: 'Marietta Oaks', state: 'GA', zip: '30062', judicial: false },
  { city: 'Mesa Verde Park', state: 'AZ', zip: '85204', judicial: false },
] as const;

/** A borrower of the plan. */
export interface PlannedBorrower {
  readonly firstName: string;
  readonly lastName: string;
  readonly phone: string;
}

/** What one case of the demo is, and how it goes. */
export interface CasePlan {
  readonly number: number;
  /** When the firm refers it, in milliseconds since 1970. */
  readonly referredAt: number;
  /** Which of the demo's firms. */
  readonly firm: number;
  readonly loan: string;
  readonly borrowers: readonly PlannedBorrower[];
  readonly town: (typeof towns)[number];
  readonly address: string;
  readonly loanType: 'FHA' | 'VA' | 'Conventional';
  readonly balance: number;
  /** How long its tasks take, as a multiple of their target: 1 is on target. */
  readonly pace: number;
  /** A hold at some step of the way. */
  readonly hold?: {
    readonly type: string;
    readonly reason: string;
    readonly afterTasks: number;
    readonly days: number;
  };
  readonly bankruptcy?: { readonly chapter: '7' | '13'; readonly afterTasks: number };
  readonly activeDuty: boolean;
  /** Of a case of the former system: when it was closed. It has no tasks here. Milliseconds since 1970. */
  readonly closedAt?: number;
  /** Feeds what is decided while the case goes on. */
  readonly seed: number;
}

const holds = [
  { type: 'Loss mitigation hold', reason: 'The borrower has applied for a modification; the package is complete.' },
  { type: 'Loss mitigation hold', reason: 'A repayment plan was offered, and the first payment is due.' },
  { type: 'Title hold', reason: 'An unreleased lien of an earlier lender is on the title.' },
  { type: 'Title hold', reason: 'The legal description of the deed does not match the mortgage.' },
] as const;

/**
 * Returns the plans of all cases in the order in which they are referred, those of the former system last. `now`:
 * milliseconds since 1970.
 */
export function planCases(now: number): readonly CasePlan[] {
  const random = seededRandom(SEED);
  const plans = Array.from({ length: CASES }, (_case, n) => planCase(random, now, lastNameOf(n)));
  const former = Array.from({ length: FORMER_CASES }, (_case, n) => planFormerCase(random, now, lastNameOf(CASES + n)));
  return [...plans.toSorted(byReferral), ...former.toSorted(byReferral)].map((plan, at) => ({
    ...plan,
    number: at + 1,
    loan: `${LOAN_PREFIX}${String((at + 1) * 1_733).padStart(6, '0')}`,
  }));
}

function byReferral(a: CasePlan, b: CasePlan): number {
  return a.referredAt - b.referredAt;
}

function planFormerCase(random: Random, now: number, lastName: string): CasePlan {
  const { hold: _hold, bankruptcy: _bankruptcy, ...plan } = planCase(random, now, lastName);
  const referredAt = workingTime(now - random.between(FORMER_DAYS.from, FORMER_DAYS.to) * 86_400_000, random);
  const days = random.between(FORMER_DURATION_DAYS.from, FORMER_DURATION_DAYS.to);
  return { ...plan, activeDuty: false, referredAt, closedAt: workingTime(referredAt + days * 86_400_000, random) };
}

/** Returns the family of the n-th case: another one each time, as long as there are some. */
export function lastNameOf(n: number): string {
  return lastNames[n % lastNames.length] ?? '';
}

function planCase(random: Random, now: number, lastName: string): CasePlan {
  // More cases are recent than old, as in an office that grows: the old ones are mostly closed.
  const daysAgo = 1 + Math.floor(DAYS * random.next() ** 4);
  const firstName = random.pick(firstNames);
  const others = firstNames.filter((name) => name !== firstName);
  const borrower = (first: string): PlannedBorrower => ({
    firstName: first,
    lastName,
    phone: `(555) 555-01${String(random.between(0, 99)).padStart(2, '0')}`,
  });
  const town = random.pick(towns);
  const hold = random.pick(holds);
  return {
    number: 0,
    referredAt: workingTime(now - (daysAgo + 3) * 86_400_000, random),
    firm: random.between(0, 2),
    loan: '',
    borrowers: random.chance(0.35) ? [borrower(firstName), borrower(random.pick(others))] : [borrower(firstName)],
    town,
    address: `${random.between(2, 1990)} ${random.pick(streets).replace('-', ' ')} ${random.pick(streetKinds)}`,
    loanType: random.pick(['Conventional', 'Conventional', 'FHA', 'VA']),
    balance: random.between(68_000, 612_000) + random.between(0, 99) / 100,
    pace: 0.75 + 1.35 * random.next() ** 1.4,
    ...(random.chance(0.16)
      ? { hold: { ...hold, afterTasks: random.between(2, 7), days: random.between(12, 95) } }
      : {}),
    ...(random.chance(0.09)
      ? { bankruptcy: { chapter: random.pick(['7', '13'] as const), afterTasks: random.between(2, 8) } }
      : {}),
    activeDuty: random.chance(0.03),
    seed: random.between(1, 2_000_000_000),
  };
}
