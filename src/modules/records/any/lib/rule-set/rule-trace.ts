import type { Context } from '../../../../../kernel/door/context.ts';
import type { RecordType } from '../../../../../kernel/declare/record.ts';
import { f } from '../../../../../kernel/declare/field.ts';
import type { Db } from '../../../../../kernel/database/store.ts';
import { maskNumbers } from '../../../../../kernel/security/mask.ts';
import { assertPage } from '../../../../../kernel/records/search/search.ts';
import type { Subject } from '../../../../rules/public/matrix-decision.ts';
import { ruleTraceDays } from '../../settings.ts';
import type { BestRow, RuleOutput } from './best-row.ts';

/** Why a rule set was applied: by UpdateFromRule, with a save that named it, or by its own configuration. */
export type RuleTraceSource = 'UpdateFromRule' | 'Save' | 'Automatic';

/** Most inputs and outputs that a trace has, and most characters of each. */
const VALUES_MAX = 100;
const CHARACTERS_MAX = 500;

/** What a rule set decided for a record. */
export interface AppliedDecision {
  readonly best: Pick<BestRow, 'steps' | 'inputs'>;
  readonly outputs: readonly RuleOutput[];
  readonly source: RuleTraceSource;
  /** The record's version after it. */
  readonly version: number | undefined;
}

/**
 * Stores what decided a change of a record, in its transaction: the rows and versions, the inputs with protected
 * numbers masked, and the outputs. The insert travels with the next statement. Firms cannot read the table.
 */
export async function storeRuleTrace(ctx: Context, { record, id }: Subject, applied: AppliedDecision): Promise<void> {
  const [first] = applied.best.steps;
  if (!first || ctx.settings.get(ruleTraceDays) <= 0) return;
  const values = [
    record.root.name,
    id,
    ctx.clock.now(),
    ctx.user.personId,
    ctx.correlationId.slice(0, 36),
    applied.source,
    first.matrixId,
    first.version,
    first.matrix,
    first.row,
    JSON.stringify(applied.best.steps.map((step) => ({ ...step, matrix: shortText(step.matrix) }))),
    JSON.stringify(shortValues(Object.entries(applied.best.inputs))),
    JSON.stringify(shortValues(applied.outputs.map(({ name, text }) => [name, text]))),
    applied.version ?? null,
  ];
  await ctx.transaction().elevated(async () => ctx.transaction().later(insertText, values));
}

const insertText = `insert into ruletrace (recordtype, recordid, createddate, createdpersonid, callid, source, matrixid,
    matrixversionid, matrix, rownumber, steps, inputs, outputs, recordversion)
  values ($1::text, $2::bigint, $3::timestamptz, $4::bigint, $5::text, $6::text, $7::bigint, $8::bigint, $9::text,
    $10::integer, $11::text::jsonb, $12::text::jsonb, $13::text::jsonb, $14::integer)`;

function shortValues(entries: readonly (readonly [string, string])[]): Record<string, string> {
  return Object.fromEntries(entries.slice(0, VALUES_MAX).map(([name, text]) => [name, shortText(text)]));
}

/** Characters that PostgreSQL cannot store in JSON are replaced. */
const shortText = (text: string): string =>
  maskNumbers(text).slice(0, CHARACTERS_MAX).toWellFormed().replaceAll('\u0000', '\uFFFD');

/** The columns of a trace. */
export const ruleTraceFields = {
  At: f.timestamp({ doc: 'When.' }),
  PersonID: f.id({ doc: 'Who made the call.', to: 'Person' }),
  CallID: f.text({ doc: 'In which call: its correlation id, as in the history.' }),
  Source: f.text({
    doc: 'UpdateFromRule; Save, for RuleSetMatrix; Automatic, for a matrix that applies itself to such changes.',
  }),
  MatrixID: f.id({ doc: 'The matrix. It may have been deleted since.' }),
  Matrix: f.text({ doc: 'Its name at that time.' }),
  MatrixVersionID: f.id({ doc: 'The version that decided; empty if the call itself had changed the matrix.' }),
  RowNumber: f.integer({ doc: 'The row that decided.' }),
  Steps: f.json({ doc: 'That row, then the rows of the child matrices that it led to.' }),
  Inputs: f.json({ doc: 'The values of the inputs, by parameter name; protected numbers masked, long texts cut.' }),
  Outputs: f.json({ doc: 'The outputs with their {Field} filled in; an empty one empties its field.' }),
  RecordVersion: f.integer({ doc: "The record's version after the change." }),
};

/** A stored trace. */
export interface RuleTrace {
  readonly At: string;
  readonly PersonID: number | null;
  readonly CallID: string | null;
  readonly Source: string;
  readonly MatrixID: number;
  readonly Matrix: string | null;
  readonly MatrixVersionID: number | null;
  readonly RowNumber: number;
  readonly Steps: unknown;
  readonly Inputs: unknown;
  readonly Outputs: unknown;
  readonly RecordVersion: number | null;
}

/** Returns the decisions that changed a record, latest first. The door has checked that the user sees the record. */
export async function readRuleTraces(
  ctx: Context,
  record: RecordType,
  id: number,
  { start, size }: { readonly start: number; readonly size: number },
): Promise<readonly RuleTrace[]> {
  assertPage(start, size);
  const read = (db: Db): Promise<RuleTrace[]> =>
    db.query<RuleTrace>(
      `select createddate as "At", createdpersonid as "PersonID", callid as "CallID", source as "Source",
         matrixid as "MatrixID", matrix as "Matrix", matrixversionid as "MatrixVersionID", rownumber as "RowNumber",
         steps as "Steps", inputs as "Inputs", outputs as "Outputs", recordversion as "RecordVersion"
       from ruletrace
       where recordtype = $1::text and recordid = $2::bigint
       order by ruletraceid desc
       limit $4::integer offset $3::integer`,
      [record.root.name, id, start, size],
    );
  // The table is closed to firms; only roles that may read matrices are granted the operation.
  return ctx.user.universal ? read(ctx.db) : ctx.inTransaction((own) => own.transaction().elevated(read));
}
