import { requireColumn } from '../../../kernel/declare/values.ts';
import {
  LOOKBACK_DAYS,
  type Coverage,
  type MilitaryPerson,
  type MilitarySource,
  type MilitaryStatus,
} from '../../../contracts/military-source.ts';
import type { Cipher } from '../../../kernel/security/cipher.ts';
import { isRetryable } from '../../../kernel/database/database-error.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { protectionPurpose } from '../../../kernel/records/save/protect.ts';
import { arrayLiteral, type Db } from '../../../kernel/database/store.ts';

interface Period {
  readonly start: string;
  readonly end: string | null;
  readonly notified: string | null;
  readonly code: string | null;
}

/** The most periods of one person that are looked at. */
const PERIODS_MAX = 200;

function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);
}

const none: Coverage = { covered: false };

function coverage(period: Period | undefined): Coverage {
  if (!period) return none;
  return {
    covered: true,
    startDate: period.start,
    ...(period.end === null ? {} : { endDate: period.end }),
    ...(period.code === null ? {} : { serviceComponentCode: period.code }),
  };
}

/** What periods of service, the latest first, say of a day. */
export function statusOf(periods: readonly Period[], day: string): MilitaryStatus {
  const active = periods.find(({ start, end }) => start <= day && (end === null || end >= day));
  const called = periods.find(({ start, notified }) => start > day && notified !== null && notified <= day);
  const since = daysBefore(day, LOOKBACK_DAYS);
  const recent = active ? undefined : periods.find(({ end }) => end !== null && end < day && end >= since);
  return {
    dateOfInterest: day,
    covered: Boolean(active ?? called ?? recent),
    activeDuty: coverage(active),
    earlyIndication: coverage(called),
    recentDuty: coverage(recent),
    matched: periods.length > 0,
  };
}

/**
 * Answers from the periods of service that the installation has loaded itself. A number that is sent decides with the
 * last name; without one the birth date does, with the first name where both have one.
 */
export function localTableMilitarySource({
  db,
  cipher,
  record,
}: {
  readonly db: Db;
  readonly cipher: Cipher;
  readonly record: RecordType;
}): MilitarySource {
  const number = requireColumn(record, 'USSSN');

  function periodsOf({ lastName, firstName, ssn, birthDate }: MilitaryPerson): Promise<Period[]> {
    const select = `select activedutystartdate as start, activedutyenddate as "end", notificationdate as notified,
        servicecomponentcode as code from militaryservice`;
    const order = `order by activedutystartdate desc, militaryserviceid desc limit ${PERIODS_MAX}`;
    if (ssn !== undefined) {
      const indexes = cipher.blindIndexes(protectionPurpose(number), ssn).map((index) => `\\x${index.toString('hex')}`);
      return db.query<Period>(`${select} where usssnindex = any($1::bytea[]) and lastname = $2::text ${order}`, [
        arrayLiteral(indexes),
        lastName,
      ]);
    }
    return db.query<Period>(
      `${select} where lastname = $1::text and birthdate = $2::date and ($3::text is null or firstname is ` +
        `null or firstname = $3::text) ${order}`,
      [lastName, birthDate, firstName ?? null],
    );
  }

  return {
    async check(person, dateOfInterest) {
      if (person.ssn === undefined && person.birthDate === undefined)
        return { kind: 'refused', problem: 'a number or a birth date is needed' };
      try {
        return { kind: 'answered', status: statusOf(await periodsOf(person), dateOfInterest) };
      } catch (error) {
        if (isRetryable(error)) return { kind: 'unavailable', problem: 'the table is busy' };
        throw error;
      }
    },
  };
}
