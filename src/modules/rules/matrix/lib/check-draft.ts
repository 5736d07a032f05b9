import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../../../kernel/door/context.ts';
import { analyzeMatrix } from './analyze-matrix.ts';
import { acceptedFindings } from './acceptances.ts';
import { findCircles } from './circular-matrices.ts';
import { tableOfGrid } from './draft-grid.ts';
import { editedGrid, type EditedMatrix } from './drafts.ts';
import { findingKey, toFindings, type Finding } from './finding.ts';
import { indexMatrix, type MatrixIndex } from './matrix-index.ts';
import { findMissingMatrices } from './missing-matrices.ts';
import { findUnknownRecords } from './unknown-records.ts';

/** A finding about a draft: with its key, and who accepted it. */
export type DraftFinding = Finding & {
  readonly Key: string;
  readonly AcceptedPersonID: number | null;
  readonly AcceptedReason: string | null;
};

/** What the checks of a draft found. */
export interface CheckedDraft {
  /** Errors first, then warnings that nobody has accepted. */
  readonly findings: readonly DraftFinding[];
  readonly omissions: readonly string[];
}

/** Most findings about a draft that are returned. */
const FINDINGS_RETURNED_MAX = 300;

/** Returns the index of a matrix as it is edited, and its cells that cannot be read. */
export async function indexDraft(
  edited: EditedMatrix,
): Promise<{ readonly index: MatrixIndex; readonly findings: readonly Finding[] }> {
  const { table, findings } = tableOfGrid(edited.name, editedGrid(edited), edited.published.table);
  return { index: await indexMatrix(table, nextTurn), findings };
}

/** Checks a matrix as it is edited. */
export async function checkDraft(ctx: Context, edited: EditedMatrix): Promise<CheckedDraft> {
  const { id, name } = edited;
  const { index, findings: unreadable } = await indexDraft(edited);
  const { table } = index;
  const { findings, omissions } = await analyzeMatrix(index, nextTurn);
  const missing = await findMissingMatrices(ctx.db, table);
  const circles = await findCircles(ctx, { id, name, version: null, index }, undefined);
  const found: readonly Finding[] = [
    ...unreadable,
    ...(await findUnknownRecords(ctx, table)),
    ...toFindings('Missing matrix', missing, (text) => `There is no matrix "${text}".`),
    ...toFindings('Circle', circles, (text) => `The matrix "${text}" leads back to ${name}.`),
    ...findings,
  ];
  const accepted = await acceptedFindings(ctx.db, id);
  const keyed = found.slice(0, FINDINGS_RETURNED_MAX).map((finding): DraftFinding => {
    const Key = findingKey(finding, table);
    const by = finding.Severity === 'Warning' ? accepted.get(Key) : undefined;
    return { ...finding, Key, AcceptedPersonID: by?.personId ?? null, AcceptedReason: by?.reason ?? null };
  });
  const rankOf = ({ Severity, AcceptedReason }: DraftFinding): number => {
    if (Severity === 'Error') return 0;
    return AcceptedReason === null ? 1 : 2;
  };
  return { findings: keyed.sort((a, b) => rankOf(a) - rankOf(b)), omissions };
}
