import type { AnswerFor, AnswerRowFor, RowNamed } from '../../../kernel/declare/catalog.ts';

/** The row of a workflow. */
export type WorkflowRow = RowNamed<'Decision'>;

/** The row of a step. */
export type StepRow = RowNamed<'DecisionStep'>;

/** A step of a workflow's template, with its dependencies. */
export type OutlineStep = AnswerFor<'decision/outline'>['root']['children'][number];

/** What the projection of a workflow's dates returns about a step. */
type ProjectedStep = Pick<
  AnswerRowFor<'decision/project'>,
  'DecisionStepTemplateID' | 'IsProjected' | 'DependsOn' | 'ExpectedCompletion'
>;

/** A step on which another depends: its index in the workflow's steps, and the result that it must have. */
export interface StepDependency {
  readonly step: number;
  readonly isTrue: boolean | undefined;
}

/** A step of a workflow as people see it: one of the template's, with its current state. */
export interface StepView {
  readonly name: string;
  readonly templateId: number | undefined;
  /** Its row; undefined where it was not inserted yet. */
  readonly row: StepRow | undefined;
  /** How often it was inserted. */
  readonly times: number;
  readonly dependencies: readonly StepDependency[];
  /** Whether another step depends on its result. */
  readonly isDecision: boolean;
  /** When it is expected to be complete, where it is not. */
  readonly expected: string | undefined;
  readonly outlook: StepOutlook;
}

/**
 * Of a step that was not inserted: it will come, depends on an unknown result, starts only by hand, will not come, or
 * was not reached before the workflow was canceled.
 */
export type StepOutlook = 'comes' | 'may' | 'hand' | 'not' | 'unreached';

/**
 * Combines a workflow template's outline, the rows of the workflow's steps, and their projection. A step that was
 * inserted several times appears once, as the last of them. One that the template no longer has appears without
 * dependencies. `unprojected` is the outlook of steps that are not projected.
 */
export function stepViews(
  outline: readonly OutlineStep[],
  rows: readonly StepRow[],
  projected: readonly ProjectedStep[],
  unprojected: Exclude<StepOutlook, 'hand' | 'may'>,
): readonly StepView[] {
  const rowsByTemplate = Map.groupBy(rows, (row) => row.DecisionStepTemplateID ?? 0);
  const indexes = new Map(outline.map(({ attributes }, at) => [attributes.DecisionStepTemplateID, at]));
  const coming = new Map(
    projected.filter((row) => row.IsProjected).map((row) => [row.DecisionStepTemplateID ?? 0, row]),
  );
  const decisions = new Set(
    outline.flatMap(({ children }) =>
      children
        .filter(({ attributes }) => attributes.IsTrue !== undefined)
        .map(({ attributes }) => attributes.DecisionStepTemplateID),
    ),
  );
  const planned = outline.map((step): StepView => {
    const { DecisionStepTemplateID: templateId, DecisionStep: name } = step.attributes;
    const own = rowsByTemplate.get(templateId) ?? [];
    const row = own.at(-1);
    const projection = coming.get(templateId);
    return {
      name: row?.DecisionStep ?? name,
      templateId,
      row,
      times: own.length,
      dependencies: dependenciesOf(step, indexes),
      isDecision: decisions.has(templateId),
      expected: row === undefined ? (projection?.ExpectedCompletion ?? undefined) : openExpected(row),
      outlook: outlookOf(step, projection, unprojected),
    };
  });
  const orphans = rows.filter((row) => !indexes.has(row.DecisionStepTemplateID ?? 0));
  return [...planned, ...orphans.map(orphanView)];
}

/** Returns the view of a step that the workflow's template no longer has. */
function orphanView(row: StepRow): StepView {
  return {
    name: row.DecisionStep ?? '',
    templateId: undefined,
    row,
    times: 1,
    dependencies: [],
    isDecision: false,
    expected: openExpected(row),
    outlook: 'not',
  };
}

function openExpected(row: StepRow): string | undefined {
  return isOpen(row) ? expectedCompletion(row) : undefined;
}

function outlookOf(step: OutlineStep, projected: ProjectedStep | undefined, unprojected: StepOutlook): StepOutlook {
  if (projected) return (projected.DependsOn ?? '') === '' ? 'comes' : 'may';
  return step.attributes.Repeatability === 0 ? 'hand' : unprojected;
}

function dependenciesOf(step: OutlineStep, places: ReadonlyMap<number, number>): readonly StepDependency[] {
  return step.children.flatMap(({ attributes: { DecisionStepTemplateID: templateId, IsTrue: isTrue } }) => {
    const at = templateId === undefined ? undefined : places.get(templateId);
    return at === undefined ? [] : [{ step: at, isTrue: isTrue === undefined ? undefined : isTrue === 1 }];
  });
}

/**
 * Returns when a step, task or workflow is expected to be complete: the date that a user projected, else the
 * estimate. An estimate that equals the start means that no duration was declared, so nothing is expected.
 */
export function expectedCompletion(
  row: Pick<StepRow, 'ProjectedCompletion' | 'EstimatedCompletion' | 'EstimatedStart'>,
): string | undefined {
  const { ProjectedCompletion: projected, EstimatedCompletion: estimated } = row;
  if (projected !== null) return projected;
  return estimated !== null && estimated !== row.EstimatedStart ? estimated : undefined;
}

/** Whether a step or workflow is neither complete nor canceled. */
export function isOpen(row: Pick<StepRow, 'ActualCompletion' | 'CanceledDate'>): boolean {
  return row.ActualCompletion === null && row.CanceledDate === null;
}

/** A step's state: a word, the mark before it, and the kind by which it is coloured. Colour never stands alone. */
export interface StepState {
  readonly word: string;
  readonly mark: string;
  readonly kind: 'done' | 'open' | 'failed' | 'canceled' | 'ahead' | 'held';
}

/** The states of inserted steps, by their stored status. */
const states: ReadonlyMap<string, StepState> = new Map(
  Object.entries<StepState>({
    Complete: { word: 'Done', mark: '✓', kind: 'done' },
    Started: { word: 'In progress', mark: '▶', kind: 'open' },
    Queued: { word: 'Queued', mark: '…', kind: 'open' },
    Pending: { word: 'Waiting', mark: '●', kind: 'open' },
    Reprocessing: { word: 'Reprocessing', mark: '↻', kind: 'open' },
    Error: { word: 'Failed', mark: '!', kind: 'failed' },
    Canceled: { word: 'Canceled', mark: '✕', kind: 'canceled' },
  }),
);

const upcoming: Readonly<Record<StepOutlook, StepState>> = {
  comes: { word: 'Upcoming', mark: '○', kind: 'ahead' },
  may: { word: 'Possible', mark: '◌', kind: 'ahead' },
  hand: { word: 'Manual only', mark: '◌', kind: 'ahead' },
  not: { word: 'Not needed', mark: '–', kind: 'canceled' },
  unreached: { word: 'Not reached', mark: '–', kind: 'canceled' },
};

/** What a step's state is derived from. A projection does not say whether the step is on hold. */
interface StatefulStep {
  readonly row: (Pick<StepRow, 'Status' | 'IsTrue'> & Partial<Pick<StepRow, 'Delayed'>>) | undefined;
  readonly outlook: StepOutlook;
}

/** Returns a step's state. */
export function stateOf({ row, outlook }: StatefulStep): StepState {
  if (!row) return upcoming[outlook];
  const state = statusState(row.Status ?? '');
  if (state.kind === 'open' && row.Delayed === true) return { word: `${state.word}, on hold`, mark: '‖', kind: 'held' };
  if (state.kind === 'done' && row.IsTrue !== null)
    return { ...state, word: `${state.word}: ${row.IsTrue ? 'yes' : 'no'}` };
  return state;
}

/** Returns the state of a stored status; one that is not declared is its own word. */
export function statusState(status: string): StepState {
  return states.get(status) ?? { word: status === '' ? 'Not started' : status, mark: '●', kind: 'open' };
}
