import type { RecordType } from '../../../../../kernel/declare/record.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { scratch } from '../../../../../kernel/door/scratch.ts';
import type { RuleSetChange, RuleSets, RuleSetSubject } from '../../../../../kernel/ports/rule-sets.ts';
import { lockRecord } from '../../../../../kernel/records/save/lock-record.ts';
import { appliesTo, automaticMatrices, type AutomaticMatrix } from '../../../../rules/public/automatic-matrices.ts';
import type { Subject } from '../../../../rules/public/matrix-decision.ts';
import { applyToLocked } from './apply-rule-set.ts';

/** The records to which rule sets are being applied: the saves of rule sets do not apply them again. */
const runningRecords = scratch('records to which rule sets are being applied', () => new Set<string>());

/** The rule sets of matrices with AppliesTo. An installation without any pays for one map lookup per change. */
export class StoredRuleSets implements RuleSets {
  async applies(ctx: Context, record: RecordType, change: RuleSetChange): Promise<boolean> {
    return (await automaticMatrices(ctx, record, change)).length > 0;
  }

  async applyTo(ctx: Context, { record, id, change }: RuleSetSubject): Promise<boolean> {
    const running = ctx.scratch(runningRecords);
    const key = `${record.root.name} ${id}`;
    if (running.has(key)) return false;
    running.add(key);
    try {
      return await applyAll(ctx, { record, id }, await automaticMatrices(ctx, record, change));
    } finally {
      running.delete(key);
    }
  }
}

async function applyAll(
  ctx: Context,
  { record, id }: Pick<Subject, 'record' | 'id'>,
  matrices: readonly AutomaticMatrix[],
): Promise<boolean> {
  let subject: Subject = { record, id, row: await lockRecord(ctx, record, id) };
  let isChanged = false;
  for (const matrix of matrices) {
    // Each sees what the one before it has set.
    if (!appliesTo(matrix, subject)) continue;
    const saved = await applyToLocked(ctx, subject, {
      ruleSet: { id: matrix.id, name: matrix.name, inputs: [] },
      useSummary: matrix.useSummary,
      throwIfError: matrix.throwIfError,
      forceDirty: false,
      sent: {},
      source: 'Automatic',
    });
    if (!saved) continue;
    subject = { ...subject, row: saved };
    isChanged = true;
  }
  return isChanged;
}
