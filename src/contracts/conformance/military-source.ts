import assert from 'node:assert/strict';
import { LOOKBACK_DAYS, type MilitaryPerson, type MilitarySource, type MilitaryStatus } from '../military-source.ts';

/** What a test knows of its provider: a person whose one period of service it has, and one whom it does not know. */
export interface MilitaryCase {
  readonly source: MilitarySource;
  readonly known: MilitaryPerson & { readonly ssn: string; readonly birthDate: string };
  /** The first and last day of that service, and its code. */
  readonly served: { readonly from: string; readonly to: string; readonly code: string };
  readonly unknown: MilitaryPerson;
}

/** One requirement: a sentence, and a function that throws if the provider does not meet it. */
export interface MilitaryDemand {
  readonly title: string;
  readonly check: (of: MilitaryCase) => Promise<void>;
}

async function status(source: MilitarySource, person: MilitaryPerson, day: string): Promise<MilitaryStatus> {
  const answer = await source.check(person, day);
  assert.ok(answer.kind === 'answered', JSON.stringify(answer));
  const found = answer.status;
  assert.equal(found.dateOfInterest, day);
  assert.equal(found.covered, found.activeDuty.covered || found.earlyIndication.covered || found.recentDuty.covered);
  return found;
}

/** Returns the date that many days after another. */
export function daysAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

const kindsOf = ({ activeDuty, recentDuty }: MilitaryStatus): string =>
  [activeDuty.covered && 'active', recentDuty.covered && 'recent'].filter(Boolean).join();

/** Requirements of every provider of the contract. */
export const militarySourceConformance: readonly MilitaryDemand[] = [
  {
    title: 'reports active duty on its first and last day and in between, with the dates and the code',
    async check({ source, known, served }) {
      for (const day of [served.from, daysAfter(served.from, 1), served.to]) {
        const { activeDuty, recentDuty, matched } = await status(source, known, day);
        assert.deepEqual(
          activeDuty,
          { covered: true, startDate: served.from, endDate: served.to, serviceComponentCode: served.code },
          day,
        );
        assert.deepEqual([recentDuty.covered, matched], [false, true], day);
      }
    },
  },
  {
    title: 'reports service that ended within the days that count, exact to the day',
    async check({ source, known, served }) {
      assert.equal(kindsOf(await status(source, known, daysAfter(served.to, 1))), 'recent');
      assert.equal(kindsOf(await status(source, known, daysAfter(served.to, LOOKBACK_DAYS))), 'recent');
      assert.equal(kindsOf(await status(source, known, daysAfter(served.to, LOOKBACK_DAYS + 1))), '');
      assert.equal(kindsOf(await status(source, known, daysAfter(served.from, -1))), '');
      assert.equal((await status(source, known, daysAfter(served.to, LOOKBACK_DAYS + 1))).matched, true);
    },
  },
  {
    title: 'finds a person by name and SSN or by name and birth date, and nobody under another name',
    async check({ source, known, served }) {
      const { ssn, birthDate, lastName } = known;
      assert.equal((await status(source, { lastName: lastName.toUpperCase(), ssn }, served.to)).covered, true);
      assert.equal((await status(source, { lastName, birthDate }, served.to)).covered, true);
      assert.equal((await status(source, { lastName: `${lastName}xyz`, ssn, birthDate }, served.to)).covered, false);
      assert.equal(
        (await status(source, { lastName, ssn: '900000000', birthDate: '1901-01-01' }, served.to)).covered,
        false,
      );
    },
  },
  {
    title: 'reports a person it does not know as not covered',
    async check({ source, unknown, served }) {
      const { covered, matched } = await status(source, unknown, served.to);
      assert.deepEqual([covered, matched], [false, false]);
    },
  },
  {
    title: 'refuses a query without SSN and birth date',
    check: async ({ source, known, served }) =>
      assert.equal((await source.check({ lastName: known.lastName }, served.to)).kind, 'refused'),
  },
];
