/** A holiday of the federal government of the United States (5 U.S.C. 6103), on the day on which it is observed. */
export interface FederalHoliday {
  readonly name: string;
  /** `2026-07-03`. */
  readonly date: string;
}

const DAY = 86_400_000;

/** A rule for the day of a holiday: a fixed day of a month, or a weekday of it. Months count from 1, Sunday is 0. */
type Rule =
  | { readonly name: string; readonly month: number; readonly day: number }
  /** `nth`: 1 is the first such weekday of the month, -1 the last one. */
  | { readonly name: string; readonly month: number; readonly weekday: number; readonly nth: number };

const MONDAY = 1;
const THURSDAY = 4;

/** The law as it is since 2021, when Juneteenth was added. */
const rules: readonly Rule[] = [
  { name: "New Year's Day", month: 1, day: 1 },
  { name: 'Birthday of Martin Luther King, Jr.', month: 1, weekday: MONDAY, nth: 3 },
  { name: "Washington's Birthday", month: 2, weekday: MONDAY, nth: 3 },
  { name: 'Memorial Day', month: 5, weekday: MONDAY, nth: -1 },
  { name: 'Juneteenth National Independence Day', month: 6, day: 19 },
  { name: 'Independence Day', month: 7, day: 4 },
  { name: 'Labor Day', month: 9, weekday: MONDAY, nth: 1 },
  { name: 'Columbus Day', month: 10, weekday: MONDAY, nth: 2 },
  { name: 'Veterans Day', month: 11, day: 11 },
  { name: 'Thanksgiving Day', month: 11, weekday: THURSDAY, nth: 4 },
  { name: 'Christmas Day', month: 12, day: 25 },
];

/**
 * Returns the federal holidays of a year, in order. One on a Saturday is observed on the Friday before, one on a Sunday
 * on the Monday after: New Year's Day may be observed in the year before.
 */
export function federalHolidays(year: number): readonly FederalHoliday[] {
  return rules.map((rule) => {
    const at = 'day' in rule ? observed(Date.UTC(year, rule.month - 1, rule.day)) : weekdayOf(year, rule);
    return { name: rule.name, date: new Date(at).toISOString().slice(0, 10) };
  });
}

function weekdayOf(year: number, { month, weekday, nth }: Extract<Rule, { readonly weekday: number }>): number {
  if (nth < 0) {
    const last = Date.UTC(year, month, 0);
    return last - ((new Date(last).getUTCDay() - weekday + 7) % 7) * DAY;
  }
  const first = Date.UTC(year, month - 1, 1);
  return first + (((weekday - new Date(first).getUTCDay() + 7) % 7) + (nth - 1) * 7) * DAY;
}

function observed(at: number): number {
  const weekday = new Date(at).getUTCDay();
  if (weekday === 6) return at - DAY;
  return weekday === 0 ? at + DAY : at;
}
