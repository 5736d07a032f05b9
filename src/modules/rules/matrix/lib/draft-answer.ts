import { f, required } from '../../../../kernel/declare/field.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { differencesOf, type Differences } from '../../../../lib/decision-tables/differences.ts';
import { checkDraft } from './check-draft.ts';
import { gridOf } from './draft-grid.ts';
import { editedGrid, type EditedMatrix } from './drafts.ts';

/** What operations return after a change of a draft. */
export const draftStateFields = {
  Version: required(f.integer({ doc: 'The version of the draft that the next save must name; 0 if there is none.' })),
  Published: required(f.integer({ doc: 'The number of the published version, counted from 1.' })),
  Base: required(f.integer({ doc: 'The number of the version that was published when the draft began.' })),
  UpdatedDate: f.timestamp({ doc: 'When the draft was last saved.' }),
  UpdatedPersonID: f.id({ doc: 'Who saved it last.', to: 'Person' }),
  Differences: required(
    f.json({
      doc: 'What the draft changes: counts of rows added, changed and removed, each such row, and changed columns.',
    }),
  ),
  Findings: required(
    f.json({ doc: 'The findings of the checks, with the columns of matrix/analyze; errors come first.' }),
  ),
};

/** The state of a draft: see {@link draftStateFields}. */
export interface DraftState {
  readonly Version: number;
  readonly Published: number;
  readonly Base: number;
  readonly UpdatedDate: string | null;
  readonly UpdatedPersonID: number | null;
  readonly Differences: Differences;
  readonly Findings: unknown;
}

/** Returns the state of a matrix as it is edited, with its differences and findings. */
export async function draftState(ctx: Context, edited: EditedMatrix): Promise<DraftState> {
  const { draft, published } = edited;
  const { findings, omissions } = await checkDraft(ctx, edited);
  for (const text of omissions) ctx.alert({ code: 'ANALYSIS_INCOMPLETE', id: edited.id, text });
  return {
    Version: draft?.version ?? 0,
    Published: published.number,
    Base: draft?.baseNumber ?? published.number,
    UpdatedDate: draft?.updatedDate ?? null,
    UpdatedPersonID: draft?.updatedPersonId ?? null,
    Differences: differencesOf(gridOf(published.table), editedGrid(edited)),
    Findings: findings,
  };
}

/** The parameters of a change of a draft. */
export const draftParams = {
  ID: required(f.id({ doc: 'The matrix.' })),
  Version: required(f.integer({ doc: 'The version of the draft that is changed; 0 if there is none yet.' })),
};
