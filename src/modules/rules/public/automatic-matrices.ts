import type { Context } from '../../../kernel/door/context.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import type { Db } from '../../../kernel/database/store.ts';
import { CriteriaError, meetsCriteria, parseCriteria, type Criterion } from '../matrix/lib/criteria.ts';
import type { Subject } from '../matrix/lib/record-fields.ts';

/** A matrix that applies itself to changes of records. */
export interface AutomaticMatrix {
  readonly id: number;
  readonly name: string;
  readonly appliesTo: string;
  readonly on: 'Insert' | 'Update' | 'Save';
  readonly criteria: string;
  readonly sequence: number | null;
  readonly useSummary: boolean;
  readonly throwIfError: boolean;
}

/** The matrices of an installation that apply themselves, by lower-cased record type, in their order. */
type AutomaticMatrices = ReadonlyMap<string, readonly AutomaticMatrix[]>;

const noMatrices: readonly AutomaticMatrix[] = [];

/**
 * Returns the matrices that apply themselves to a change of a record of this type, in their order. They are cached
 * until configuration changes, so that an installation without any needs no query.
 */
export async function automaticMatrices(
  ctx: Context,
  record: RecordType,
  change: 'insert' | 'update',
): Promise<readonly AutomaticMatrix[]> {
  const { configuration } = ctx;
  // A call such as an import may run for long: matrices changed meanwhile apply to its next record.
  const stale = configuration.ensureFresh();
  if (stale) await stale;
  const known = await configuration.get('automatic matrices', () => loadAutomatic(configuration.db));
  if (known.size === 0) return noMatrices;
  const found: AutomaticMatrix[] = [];
  for (let at: RecordType | undefined = record; at; at = at.base)
    for (const matrix of known.get(at.name.toLowerCase()) ?? [])
      if (matrix.on === 'Save' || matrix.on.toLowerCase() === change) found.push(matrix);
  // Those of the base type are among those of the type itself.
  return found.sort((a, b) => (a.sequence ?? Infinity) - (b.sequence ?? Infinity) || a.id - b.id);
}

async function loadAutomatic(db: Db): Promise<AutomaticMatrices> {
  const rows = await db.query<AutomaticMatrix>(
    `select matrixid as id, coalesce(matrix, '') as name, appliesto as "appliesTo", coalesce(applyon, 'Save') as on,
       coalesce(applycriteria, '') as criteria, applysequence as sequence,
       coalesce(applyusesummary, false) as "useSummary", coalesce(applythrowiferror, true) as "throwIfError"
     from matrix
     where appliesto is not null`,
  );
  return Map.groupBy(rows, ({ appliesTo }) => appliesTo.toLowerCase());
}

/** Whether a record meets the criteria of a matrix. A criterion on a field that has been removed since is never met. */
export function appliesTo(matrix: AutomaticMatrix, subject: Subject): boolean {
  const criteria = criteriaOf(matrix, subject.record);
  return criteria !== undefined && meetsCriteria(criteria, subject);
}

const parsed = new WeakMap<AutomaticMatrix, Map<RecordType, readonly Criterion[] | undefined>>();

function criteriaOf(matrix: AutomaticMatrix, record: RecordType): readonly Criterion[] | undefined {
  let byRecord = parsed.get(matrix);
  if (!byRecord) parsed.set(matrix, (byRecord = new Map<RecordType, readonly Criterion[] | undefined>()));
  if (!byRecord.has(record)) byRecord.set(record, tryParse(matrix, record));
  return byRecord.get(record);
}

function tryParse({ criteria }: AutomaticMatrix, record: RecordType): readonly Criterion[] | undefined {
  try {
    return parseCriteria(criteria, record);
  } catch (error) {
    if (error instanceof CriteriaError) return undefined;
    throw error;
  }
}
