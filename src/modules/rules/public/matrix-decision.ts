import type { Shape } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { reachableInputs } from '../matrix/lib/child-matrices.ts';
import { findMatrix } from '../matrix/lib/find-matrix.ts';
import { bestRow, type DecisionStep } from '../matrix/lib/look-up.ts';
import { availableInputs, fieldInputs, textOf, type Subject } from '../matrix/lib/record-fields.ts';
import { recordInputs } from '../matrix/lib/record-inputs.ts';

export { availableInputs, textOf, type DecisionStep, type Subject };

/** What a matrix decides for a record. */
export interface MatrixDecision {
  /** Of the best row; undefined if the matrix has no rows. It decides only if this is 0. */
  readonly mismatches: number | undefined;
  readonly weight: number | undefined;
  readonly matches: number | undefined;
  /** The outputs by wire name, with the columns of their answer; empty unless the row decides. */
  readonly shape: Shape;
  readonly values: Readonly<Record<string, unknown>>;
  /** The row that decides, then those of the child matrices that it leads to. */
  readonly steps: readonly DecisionStep[];
  /** The values of the inputs, by parameter name. */
  readonly inputs: Readonly<Record<string, string>>;
}

/** Where the inputs come from: the record's summary, or its own fields and the values of a call. */
export type InputSource = { readonly kind: 'summary' } | { readonly kind: 'fields'; readonly sent: Parameters };

/**
 * Returns the decision of a matrix for a record. The caller must have checked that its user may use the matrix and
 * reaches the record. Unlike a lookup, it returns only the best row, with its number and version.
 * @throws NOT_FOUND, BAD_PARAMETER, CHAIN_TOO_DEEP if the row cannot decide
 */
export async function decideForRecord(
  ctx: Context,
  matrixId: number,
  subject: Subject,
  source: InputSource,
): Promise<MatrixDecision> {
  const found = await findMatrix(ctx, { id: matrixId });
  const sent =
    source.kind === 'summary'
      ? await recordInputs(
          ctx,
          found,
          { object: subject.record.name, objectId: subject.id, isTrusted: true },
          undefined,
        )
      : fieldInputs(await reachableInputs(ctx, found, undefined), subject, source.sent);
  const { ranked, shape, values, steps } = await bestRow(ctx, found, { sent, asOf: undefined });
  return {
    mismatches: ranked?.mismatches,
    weight: ranked?.weight,
    matches: ranked?.matches,
    shape,
    values,
    steps,
    inputs: Object.fromEntries(
      [...sent.values()].filter(({ text }) => text !== '').map(({ name, text }) => [name, text]),
    ),
  };
}
