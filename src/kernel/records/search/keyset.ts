import type { SqlParameters } from './filter.ts';
import type { OrderKey } from './order.ts';

/** The values of a row under the keys of an order, as PostgreSQL writes them; null where they are empty. */
export type Position = readonly (string | null)[];

/** Returns SQL for the position of a row, an array of texts: a timestamp keeps its microseconds. */
export function positionSql(keys: readonly OrderKey[]): string {
  return `array_to_json(array[${keys.map(({ sql }) => `(${sql})::text`).join(', ')}])`;
}

/**
 * Returns the conditions for the rows after a position, as steps: all rows of one come before those of the next. The
 * rows in which the first key is empty are a step of their own; with `or` between them PostgreSQL would not begin to
 * read an index at the position.
 */
export function stepsAfter(keys: readonly OrderKey[], position: Position): readonly ((sql: SqlParameters) => string)[] {
  const [first] = keys;
  if (!first) return [];
  const steps = [(sql: SqlParameters): string => firstStep(keys, position, sql)];
  if (position[0] !== null && first.canBeEmpty) steps.push(() => `${first.sql} is null`);
  return steps;
}

function firstStep(keys: readonly OrderKey[], position: Position, sql: SqlParameters): string {
  const [first, ...rest] = keys;
  if (!first) return 'false';
  const [value, ...values] = position.map((text, at) => valueOf(keys[at], text, sql));
  if (value === null || value === undefined) return `${first.sql} is null and ${after(rest, values)}`;
  // PostgreSQL does not conclude that a joined table, too, begins at the id.
  if (rest.length === 0)
    return [first.sql, ...first.alsoIn].map((sql) => `${sql} ${beyond(first)} ${value}`).join(' and ');
  if (rest.every((key) => !key.canBeEmpty && key.isDescending === first.isDescending))
    return `(${keys.map((key) => key.sql).join(', ')}) ${beyond(first)} (${[value, ...values].join(', ')})`;
  const equal = after(rest, values);
  return `${first.sql} ${beyond(first)}= ${value} and (${first.sql} ${beyond(first)} ${value} or ${equal})`;
}

/** Returns SQL that is true for the rows after the values under these keys. */
function after(keys: readonly OrderKey[], values: readonly (string | null)[]): string {
  const [key, ...rest] = keys;
  if (!key) return 'false';
  const [value = null, ...more] = values;
  if (value === null) return `(${key.sql} is null and ${after(rest, more)})`;
  const parts = [`${key.sql} ${beyond(key)} ${value}`];
  if (rest.length > 0) parts.push(`(${key.sql} = ${value} and ${after(rest, more)})`);
  if (key.canBeEmpty) parts.push(`${key.sql} is null`);
  return `(${parts.join(' or ')})`;
}

function beyond({ isDescending }: OrderKey): '<' | '>' {
  return isDescending ? '<' : '>';
}

/** Adds a key's value and returns its placeholder. Cast from text: the driver would convert booleans and numbers. */
function valueOf(key: OrderKey | undefined, text: string | null, sql: SqlParameters): string | null {
  if (!key || text === null) return null;
  const placeholder = sql.add(text, 'text');
  return key.type === 'text' ? placeholder : `${placeholder}::${key.type}`;
}
