import type { Row, TreeNode } from '../../../kernel/door/answer.ts';
import { columnText, plainText } from '../plain-text.ts';

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
  readonly row: Row | undefined;
  /** How often it was inserted. */
  readonly times: number;
  readonly dependencies: readonly StepDependency[];
  /** Whether another step depends on its result. */
  readonly isDecision: boolean;
  /** When it is expected to be complete, where it is not. */
  readonly expected: string | undefined;
  /**
   * For a step that was not inserted: whether it will come, depends on an unknown result, starts only by hand, or will
   * not come.
   */
  readonly outlook: 'comes' | 'may' | 'hand' | 'not';
}

/**
 * Combines a workflow template's outline, the rows of the workflow's steps, and their projection. A step that was
 * inserted several times appears once, as the last of them. One that the template no longer has appears without
 * dependencies. `knowsComing`: steps that are not projected will not come.
 */
export function stepViews(
  outline: readonly TreeNode[],
  rows: readonly Row[],
  projected: readonly Row[],
  knowsComing: boolean,
): readonly StepView[] {
  const rowsByTemplate = Map.groupBy(rows, (row) => Number(row['DecisionStepTemplateID'] ?? 0));
  const indexes = new Map(outline.map((step, at) => [templateIdOf(step), at]));
  const coming = new Map(
    projected
      .filter((row) => row['IsProjected'] === true)
      .map((row) => [Number(row['DecisionStepTemplateID'] ?? 0), row]),
  );
  const decisions = new Set(
    outline.flatMap(({ children = [] }) =>
      children.filter(({ attributes }) => attributes?.['IsTrue'] !== undefined).map(templateIdOf),
    ),
  );
  const planned = outline.map((step): StepView => {
    const templateId = templateIdOf(step);
    const own = rowsByTemplate.get(templateId) ?? [];
    const row = own.at(-1);
    const projection = coming.get(templateId);
    return {
      name: plainText(row?.['DecisionStep'] ?? step.attributes?.['DecisionStep']),
      templateId,
      row,
      times: own.length,
      dependencies: dependenciesOf(step, indexes),
      isDecision: decisions.has(templateId),
      expected: row === undefined ? textOf(projection?.['ExpectedCompletion']) : openExpected(row),
      outlook: outlookOf(step, projection, knowsComing),
    };
  });
  const orphans = rows.filter((row) => !indexes.has(Number(row['DecisionStepTemplateID'] ?? 0)));
  return [...planned, ...orphans.map(orphanView)];
}

/** Returns the view of a step that the workflow's template no longer has. */
function orphanView(row: Row): StepView {
  return {
    name: columnText(row, 'DecisionStep'),
    templateId: undefined,
    row,
    times: 1,
    dependencies: [],
    isDecision: false,
    expected: openExpected(row),
    outlook: 'not',
  };
}

function templateIdOf({ attributes }: TreeNode): number {
  return Number(attributes?.['DecisionStepTemplateID']);
}

function openExpected(row: Row): string | undefined {
  return isOpen(row) ? expectedCompletion(row) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function outlookOf(step: TreeNode, projected: Row | undefined, knowsComing: boolean): StepView['outlook'] {
  if (projected) return textOf(projected['DependsOn']) === undefined ? 'comes' : 'may';
  if (step.attributes?.['Repeatability'] === 0) return 'hand';
  return knowsComing ? 'not' : 'comes';
}

function dependenciesOf(step: TreeNode, places: ReadonlyMap<number, number>): readonly StepDependency[] {
  return (step.children ?? []).flatMap(({ attributes }) => {
    const at = places.get(Number(attributes?.['DecisionStepTemplateID']));
    const isTrue = attributes?.['IsTrue'];
    return at === undefined ? [] : [{ step: at, isTrue: typeof isTrue === 'number' ? isTrue === 1 : undefined }];
  });
}

/**
 * Returns when a step, task or workflow is expected to be complete: the date that a user projected, else the
 * estimate. An estimate that equals the start means that no duration was declared, so nothing is expected.
 */
export function expectedCompletion(row: Row): string | undefined {
  const { ProjectedCompletion: projected, EstimatedCompletion: estimated } = row;
  if (typeof projected === 'string') return projected;
  return typeof estimated === 'string' && estimated !== row['EstimatedStart'] ? estimated : undefined;
}

/** Whether a step or workflow is neither complete nor canceled. */
export function isOpen(row: Row): boolean {
  return (row['ActualCompletion'] ?? null) === null && (row['CanceledDate'] ?? null) === null;
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

const upcoming: Readonly<Record<StepView['outlook'], StepState>> = {
  comes: { word: 'Upcoming', mark: '○', kind: 'ahead' },
  may: { word: 'Possible', mark: '◌', kind: 'ahead' },
  hand: { word: 'Manual only', mark: '◌', kind: 'ahead' },
  not: { word: 'Not needed', mark: '–', kind: 'canceled' },
};

/** Returns a step's state. */
export function stateOf({ row, outlook }: Pick<StepView, 'row' | 'outlook'>): StepState {
  if (!row) return upcoming[outlook];
  const state = statusState(columnText(row, 'Status'));
  if (state.kind === 'open' && row['Delayed'] === true)
    return { word: `${state.word}, on hold`, mark: '‖', kind: 'held' };
  if (state.kind === 'done' && typeof row['IsTrue'] === 'boolean')
    return { ...state, word: `${state.word}: ${row['IsTrue'] ? 'yes' : 'no'}` };
  return state;
}

/** Returns the state of a stored status; one that is not declared is its own word. */
export function statusState(status: string): StepState {
  return states.get(status) ?? { word: status === '' ? 'Not started' : status, mark: '●', kind: 'open' };
}
