/**
 * Writes `src/app/standard/holidays.xml`: the federal holidays that every installation starts with, as a configuration
 * document. `npm run --silent holidays -- 2041 2050 > holidays.xml` prints those of other years, to be imported into an
 * installation.
 */
import { writeFileSync } from 'node:fs';
import { federalHolidays } from './federal-holidays.ts';

export const HOLIDAYS = 'src/app/standard/holidays.xml';
/** The years that an installation starts with. */
export const HOLIDAY_YEARS = [2024, 2040] as const;

/** Returns the configuration document with the holidays of a range of years. */
export function holidaysDocument(from: number, to: number): string {
  const items = Array.from({ length: to - from + 1 }, (_, at) => federalHolidays(from + at)).flat();
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<!-- The federal holidays of the United States from ${from} to ${to}, on the days on which they are observed; a ` +
      'configuration document, written by npm run holidays. A new installation imports it at the first start. -->',
    '<Configuration FormatVersion="1">',
    '  <HolidayCollection>',
    ...items.flatMap(({ name, date }) => [
      `    <HolidayItem SubscriberID="standard/holiday/${date}">`,
      `      <Date>${date}</Date>`,
      `      <Holiday>${name}</Holiday>`,
      '      <Yearly>false</Yearly>',
      '    </HolidayItem>',
    ]),
    '  </HolidayCollection>',
    '</Configuration>',
    '',
  ].join('\n');
}

if (import.meta.main) {
  const [from, to] = process.argv.slice(2).map(Number);
  if (from === undefined) writeFileSync(HOLIDAYS, holidaysDocument(...HOLIDAY_YEARS));
  else if (Number.isInteger(from) && to !== undefined && Number.isInteger(to) && to >= from && to - from < 200)
    process.stdout.write(holidaysDocument(from, to));
  else {
    process.stderr.write('Expected the first and the last year, at most 200 years: npm run holidays -- 2041 2050\n');
    process.exitCode = 1;
  }
}
