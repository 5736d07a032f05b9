import type { Row, TreeNode } from '../../../kernel/door/answer.ts';

/** A step that another waits for: its place in the workflow's steps, and the result that it must have. */
export interface StepDependency {
  readonly step: number;
  readonly isTrue: boolean | undefined;
}

/** A step of a workflow as people see it: one of the template's, with what became of it. */
export interface StepView {
  readonly name: string;
  readonly templateId: number | undefined;
  /** How it stands; undefined where it is still to come. */
  readonly row: Row | undefined;
  /** How often it was inserted. */
  readonly times: number;
  readonly dependencies: readonly StepDependency[];
  /** Whether something depends on the result that it completes with. */
  readonly isDecision: boolean;
  /** When it is expected to be complete, where it is not. */
  readonly expected: string | undefined;
  /** Of one that was not inserted: whether it comes anyway, on a result that is not known yet, only by hand, or not any more. */
  readonly outlook: 'comes' | 'may' | 'hand' | 'not';
}

/**
 * Puts together what a workflow's template says, how its steps stand, and when those to come are expected. A step that was inserted
 * several times is shown once, as the last of them; one that the template does not know any more is shown without what it waited for. `knowsComing`: what is not projected does not come.
 */
export function stepViews(
  outline: readonly TreeNode[],
  rows: readonly Row[],
  projected: readonly Row[],
  knowsComing: boolean,
): readonly StepView[] {
  const byTemplate = Map.groupBy(rows, (row) => Number(row['DecisionStepTemplateID'] ?? 0));
  const places = new Map(outline.map((step, at) => [Number(step.attributes?.['DecisionStepTemplateID']), at]));
  const coming = new Map(
    projected
      .filter((row) => row['IsProjected'] === true)
      .map((row) => [Number(row['DecisionStepTemplateID'] ?? 0), row]),
  );
  const decisive = new Set(
    outline.flatMap(({ children = [] }) =>
      children
        .filter(({ attributes }) => attributes?.['IsTrue'] !== undefined)
        .map(({ attributes }) => Number(attributes?.['DecisionStepTemplateID'])),
    ),
  );
  const planned = outline.map((step): StepView => {
    const templateId = Number(step.attributes?.['DecisionStepTemplateID']);
    const own = byTemplate.get(templateId) ?? [];
    const row = own.at(-1);
    return {
      name: String(row?.['DecisionStep'] ?? step.attributes?.['DecisionStep'] ?? ''),
      templateId,
      row,
      times: own.length,
      dependencies: dependenciesOf(step, places),
      isDecision: decisive.has(templateId),
      expected:
        row === undefined
          ? textOf(coming.get(templateId)?.['ExpectedCompletion'])
          : isOpen(row)
            ? expectedCompletion(row)
            : undefined,
      outlook: outlookOf(step, coming.get(templateId), knowsComing),
    };
  });
  const others = rows.filter((row) => !places.has(Number(row['DecisionStepTemplateID'] ?? 0)));
  return [
    ...planned,
    ...others.map((row): StepView => ({
      name: String(row['DecisionStep'] ?? ''),
      templateId: undefined,
      row,
      times: 1,
      dependencies: [],
      isDecision: false,
      expected: isOpen(row) ? expectedCompletion(row) : undefined,
      outlook: 'not',
    })),
  ];
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
 * When a step, a task or a workflow is expected to be complete: what somebody expects goes before what was estimated. Where nothing is
 * said of how long it takes, its estimate is the instant of its start, and nobody expects anything.
 */
export function expectedCompletion(row: Row): string | undefined {
  const { ProjectedCompletion: projected, EstimatedCompletion: estimated } = row;
  if (typeof projected === 'string') return projected;
  return typeof estimated === 'string' && estimated !== row['EstimatedStart'] ? estimated : undefined;
}

/** Whether something is still to become of a step that was inserted, or of a workflow. */
export function isOpen(row: Row): boolean {
  return (row['ActualCompletion'] ?? null) === null && (row['CanceledDate'] ?? null) === null;
}

/** How a step stands, in a word that never stands alone for its colour, and the mark before it. */
export interface StepState {
  readonly word: string;
  readonly mark: string;
  readonly kind: 'done' | 'open' | 'failed' | 'canceled' | 'ahead' | 'held';
}

const states: Readonly<Record<string, StepState>> = {
  Complete: { word: 'Complete', mark: '✓', kind: 'done' },
  Started: { word: 'Started', mark: '▶', kind: 'open' },
  Queued: { word: 'Queued', mark: '…', kind: 'open' },
  Pending: { word: 'Pending', mark: '●', kind: 'open' },
  Reprocessing: { word: 'Reprocessing', mark: '↻', kind: 'open' },
  Error: { word: 'Error', mark: '!', kind: 'failed' },
  Canceled: { word: 'Canceled', mark: '✕', kind: 'canceled' },
};

const ahead: Readonly<Record<StepView['outlook'], StepState>> = {
  comes: { word: 'To come', mark: '○', kind: 'ahead' },
  may: { word: 'May come', mark: '◌', kind: 'ahead' },
  hand: { word: 'Only by hand', mark: '◌', kind: 'ahead' },
  not: { word: 'Not needed', mark: '–', kind: 'canceled' },
};

/** How a step stands. */
export function stateOf({ row, outlook }: Pick<StepView, 'row' | 'outlook'>): StepState {
  if (!row) return ahead[outlook];
  const status = String(row['Status'] ?? '');
  const known = states[status] ?? { word: status === '' ? 'Not started' : status, mark: '●', kind: 'open' };
  if (known.kind === 'open' && row['Delayed'] === true)
    return { word: `${known.word}, on hold`, mark: '‖', kind: 'held' };
  if (known.kind === 'done' && typeof row['IsTrue'] === 'boolean')
    return { ...known, word: `Complete: ${row['IsTrue'] ? 'yes' : 'no'}` };
  return known;
}
