import { inlineHint } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import type { Column, RecordType } from '../../../../kernel/declare/record.ts';
import { recordChanges, type RecordChange } from '../../../../kernel/ports/record-events.ts';
import { isA, type Registry } from '../../../../kernel/declare/registry.ts';

/** Most patterns, columns or fields of one webhook. */
const NAMES_MAX = 100;

/** A subscription of a webhook: record types and a kind of change; `*` is any. */
export interface EventPattern {
  readonly records: ReadonlySet<RecordType>;
  readonly change: RecordChange | '*';
  /** The pattern in its declared spelling. */
  readonly text: string;
}

/** Returns the distinct names in a list separated by commas or spaces. */
export function splitNames(text: string | null | undefined): string[] {
  return [
    ...new Map(
      (text ?? '')
        .split(/[\s,]+/)
        .filter((n) => n !== '')
        .map((n) => [n.toLowerCase(), n]),
    ).values(),
  ];
}

/**
 * Parses patterns such as `Foreclosure.insert`, `*.delete`, `Import*.*`; `*` alone is everything. A record type
 * includes those derived from it. Logs have no events. Throws BAD_PARAMETER, with the nearest names, for a pattern that
 * matches nothing.
 */
export function parseEvents(registry: Registry, text: string): EventPattern[] {
  const words = splitNames(text);
  if (words.length === 0 || words.length > NAMES_MAX)
    throw bad('Events', `1 to ${NAMES_MAX} events such as Foreclosure.insert`);
  return words.map((word) => parseEvent(registry, word));
}

function parseEvent(registry: Registry, word: string): EventPattern {
  const [name = '', change = word === '*' ? '*' : '', more] = word.split('.');
  const eventRecords = registry.records().filter((r) => r.history !== false);
  const kind = change === '*' ? '*' : recordChanges.find((c) => c === change.toLowerCase());
  const quoted = word.slice(0, 80);
  if (kind === undefined || more !== undefined)
    throw bad(
      'Events',
      `a record type, a dot, and ${recordChanges.join(', ')} or *; "${quoted}" is not an ` +
        `event${suggestion(change, recordChanges)}`,
    );
  const named = eventRecords.filter((r) => matchesPattern(name, r.name));
  if (named.length === 0)
    throw bad(
      'Events',
      `record types that have events; "${quoted}" names none${suggestion(
        name,
        eventRecords.map((r) => r.name),
      )}`,
    );
  const spelling = name.includes('*') ? name : (named[0]?.name ?? name);
  return {
    records: new Set(eventRecords.filter((r) => named.some((of) => isA(r, of)))),
    change: kind,
    text: `${spelling}.${kind}`,
  };
}

function suggestion(name: string, known: readonly string[]): string {
  return inlineHint(name.slice(0, 60), known);
}

/** Matches a name against a pattern with stars, in time linear in the name's length, however many stars there are. */
function matchesPattern(pattern: string, name: string): boolean {
  const parts = pattern.toLowerCase().split('*');
  const text = name.toLowerCase();
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > text.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

/**
 * Returns the declared names of columns of the events' record types. For `Fields`, whose values are sent, only public
 * columns are accepted.
 */
export function parseColumns(
  events: readonly EventPattern[],
  text: string | null,
  field: 'Columns' | 'Fields',
): string[] {
  const records = [...new Set(events.flatMap((e) => [...e.records]))];
  const words = splitNames(text);
  if (words.length > NAMES_MAX) throw bad(field, `at most ${NAMES_MAX} columns`);
  return words.map((word) => {
    const found = records.flatMap((record) => {
      const column = record.columns.get(word.toLowerCase());
      return column ? [{ record, column }] : [];
    });
    const [first] = found;
    if (!first)
      throw bad(
        field,
        `columns of the record types in Events; "${word.slice(0, 80)}" is not ` +
          `one${suggestion(word, [...new Set(records.flatMap((r) => r.shown.map((c) => c.name)))])}`,
      );
    const closed = field === 'Fields' ? found.find(({ record, column }) => !isPublic(record, column)) : undefined;
    if (closed)
      throw bad(
        field,
        `public columns; ${closed.record.name}.${closed.column.name} is not public, so its value is not ` +
          'sent. Get the record by its ID instead',
      );
    return first.column.name;
  });
}

/**
 * Whether a column's value may be sent. A label made from personal columns, and a number's last digits, are personal
 * too.
 */
export function isPublic(record: RecordType, column: Column): boolean {
  if (column.field.classification !== 'public' || column.field.kind === 'ssn' || column.read === null) return false;
  const { root } = record;
  if ([...record.columns.values()].some((c) => c.field.kind === 'ssn' && c.field.last?.toLowerCase() === column.column))
    return false;
  const label = record.label ?? root.label;
  const isLabel = column.table === root.table && column.column === root.table;
  return (
    !isLabel ||
    label === undefined ||
    label.from.every((name) => record.columns.get(name.toLowerCase())?.field.classification === 'public')
  );
}
