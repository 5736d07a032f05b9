import { isAddress, oneLine } from './mail-headers.ts';
import type { MailEvent } from './parsed-mail.ts';

/** Most events of one mail, and most characters that are read of a calendar. */
const EVENTS_MAX = 20;
const CHARACTERS_MAX = 1024 * 1024;
const TEXT_CHARACTERS_MAX = 500;

interface CalendarLine {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly value: string;
}

/** Returns the events of a calendar file (RFC 5545): what a person needs to know, without alarms and repetitions. */
export function calendarEvents(text: string, method: string | null): readonly MailEvent[] {
  const events: MailEvent[] = [];
  let calendarMethod = method;
  let lines: CalendarLine[] | undefined;
  let inner = 0;
  for (const line of calendarLines(text.slice(0, CHARACTERS_MAX))) {
    const component = line.value.toUpperCase();
    if (line.name === 'METHOD' && !lines) calendarMethod ??= component;
    else if (!lines) lines = line.name === 'BEGIN' && component === 'VEVENT' ? [] : undefined;
    else if (line.name === 'BEGIN') inner++;
    else if (line.name === 'END' && inner > 0) inner--;
    else if (line.name === 'END') {
      events.push(eventOf(lines, calendarMethod));
      lines = undefined;
      if (events.length === EVENTS_MAX) break;
    } else if (inner === 0) lines.push(line);
  }
  return events;
}

function eventOf(lines: readonly CalendarLine[], method: string | null): MailEvent {
  const line = (name: string): CalendarLine | undefined => lines.find((each) => each.name === name);
  const text = (name: string): string | null => {
    const value = line(name)?.value;
    return value === undefined ? null : oneLine(unescaped(value), TEXT_CHARACTERS_MAX);
  };
  const organizer = line('ORGANIZER');
  const address = organizer?.value.replace(/^mailto:/i, '').trim() ?? '';
  const name = oneLine(organizer?.parameters.get('CN') ?? '', TEXT_CHARACTERS_MAX);
  return {
    method: method === null ? null : oneLine(method, 40),
    uid: text('UID'),
    summary: text('SUMMARY'),
    start: dateTime(line('DTSTART')),
    end: dateTime(line('DTEND')),
    timeZone: oneLine(line('DTSTART')?.parameters.get('TZID') ?? '', 100) || null,
    place: text('LOCATION'),
    organizer: isAddress(address) ? { address, ...(name === '' ? {} : { name }) } : null,
  };
}

/** Returns a date, or a date and time, in extended ISO format; null if it is neither. */
function dateTime(line: CalendarLine | undefined): string | null {
  const found = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(line?.value.trim() ?? '');
  if (!found) return null;
  const [, year, month, day, hour, minute, second, zone] = found;
  const date = `${year}-${month}-${day}`;
  if (Number.isNaN(Date.parse(date))) return null;
  return hour === undefined ? date : `${date}T${hour}:${minute}:${second}${zone}`;
}

function unescaped(value: string): string {
  return value.replace(/\\([\\;,Nn])/g, (_whole, character: string) => (/n/i.test(character) ? ' ' : character));
}

function* calendarLines(text: string): Generator<CalendarLine> {
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const { name, parameters, rest } = nameAndParameters(line);
    if (rest !== undefined) yield { name, parameters, value: rest };
  }
}

/** Splits a line at the first colon outside quotes. `rest` is undefined if there is none. */
function nameAndParameters(line: string): {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly rest: string | undefined;
} {
  const pieces: string[] = [];
  let [isQuoted, from, at] = [false, 0, 0];
  for (; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === ';' || character === ':')) {
      pieces.push(line.slice(from, at));
      from = at + 1;
      if (character === ':') break;
    }
  }
  const [name = '', ...parameters] = pieces;
  return {
    name: name.trim().toUpperCase(),
    parameters: new Map(
      parameters.map((parameter) => {
        const [key = '', ...value] = parameter.split('=');
        return [key.toUpperCase(), value.join('=').replaceAll('"', '')] as const;
      }),
    ),
    rest: at < line.length ? line.slice(at + 1) : undefined,
  };
}
