import type { AnyRow } from '../../../kernel/declare/catalog.ts';
import type { FieldPath } from '../../../kernel/declare/field-path.ts';
import { columnLabel } from '../../../kernel/declare/labels.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import type { Row } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { displayValue } from '../display-values.ts';
import type { DisplayedRows, Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { fieldOf } from './case-layout.ts';
import type { LayoutFact } from '../../../lib/page-layouts/content.ts';
import { shortDay } from '../days.ts';

/** A field of a case, or of a record that it refers to, with its value. */
export interface CaseFact {
  readonly label: string;
  readonly path: FieldPath;
  /** The row of the record that has the field. */
  readonly row: Row;
}

/** Reads the records that facts refer to, each once, and returns the facts of those that the user can see. */
export async function readFacts(
  call: PageCall,
  record: RecordType,
  row: AnyRow,
  facts: readonly LayoutFact[],
): Promise<ReadonlyMap<LayoutFact, CaseFact>> {
  const rows = new Map<string, Promise<Row | undefined>>([['', Promise.resolve(row)]]);
  const found = await Promise.all(
    facts.map(async (fact) => {
      const path = fieldOf(call, record, fact);
      const own = path && (await referencedRow(call, path, rows));
      if (!path || !own) return [];
      return [[fact, { label: fact.label ?? columnLabel(path.record, path.column.name), path, row: own }] as const];
    }),
  );
  return new Map(found.flat());
}

/** Follows the references of a path. What the user may not see is left out. */
async function referencedRow(
  call: PageCall,
  { references }: FieldPath,
  rows: Map<string, Promise<Row | undefined>>,
): Promise<Row | undefined> {
  let key = '';
  for (const { name, field } of references) {
    const parent = key;
    key += `${name}.`;
    if (!rows.has(key)) {
      const target = call.platform.registry.requireRecord(field.to ?? '', 'Layout');
      rows.set(
        key,
        (rows.get(parent) ?? Promise.resolve(undefined)).then((row) => selectReferenced(call, target, row?.[name])),
      );
    }
  }
  return rows.get(key);
}

async function selectReferenced(call: PageCall, record: RecordType, id: unknown): Promise<Row | undefined> {
  if (typeof id !== 'number' || !call.mayOf(record, 'select')) return undefined;
  try {
    return (await call.callOf(record, 'select', { ID: id })).answer.row;
  } catch (error) {
    if (error instanceof PlatformError && error.status < 500) return undefined;
    throw error;
  }
}

/** Returns the references of facts, for looking up their labels. */
export function factReferences(facts: Iterable<CaseFact>): readonly DisplayedRows[] {
  return [...facts].map(({ path, row }) => ({ columns: [path.column], rows: [row] }));
}

/** Renders the value of a fact; undefined if it is empty. */
export function factValue(call: PageCall, { path, row }: CaseFact, labels: Labels): Markup | undefined {
  const { name, field } = path.column;
  const value = row[name];
  if (value === null || value === undefined || value === '') return undefined;
  if ((field.kind === 'date' || field.kind === 'timestamp') && typeof value === 'string') return shortDay(call, value);
  return html`<bdi>${displayValue(call, field, value, labels)}</bdi>`;
}
