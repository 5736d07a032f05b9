import type { TreeNode } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { isIfThen, isPolling, planOfVersion, type Plan, type PlannedStep } from './lib/template/plan.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'Outline',
  method: 'GET',
  summary:
    'Returns the steps of a workflow in its template version, each with its dependencies. The ' +
    'workflow diagram is drawn from this.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The workflow.' })) },
  returns: 'tree',
  answerName: 'DecisionOutline',
  example: {
    name: 'DecisionOutline',
    attributes: { DecisionID: 12 },
    list: true,
    children: [
      {
        name: 'Step',
        attributes: {
          DecisionStepTemplateID: 3,
          DecisionStep: 'Order the title',
          Kind: 'Record',
          Object: 'ImportFormTemplate',
          Repeatability: 1,
        },
        list: true,
        children: [],
      },
      {
        name: 'Step',
        attributes: { DecisionStepTemplateID: 4, DecisionStep: 'Cure the defects', Kind: 'Manual', Repeatability: 1 },
        list: true,
        children: [{ name: 'Dependency', attributes: { GroupNumber: 0, DecisionStepTemplateID: 3, IsTrue: 1 } }],
      },
    ],
  },
  errors: ['NOT_FOUND'],
  source: '2-workflow §2, DecisionDependency',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const { DecisionTemplateVersionID: versionId } = namedRow(ctx, ctx.record);
  // Firms cannot read template versions. Whoever can see the workflow may know its outline, since its steps show it
  // anyway.
  const plan =
    typeof versionId === 'number' ? await planOfVersion(ctx.configuration, ctx.configuration.db, versionId) : undefined;
  return {
    kind: 'tree',
    root: {
      name: 'DecisionOutline',
      attributes: { DecisionID: ID },
      list: true,
      children: plan?.steps.map((step) => outlined(plan, step)) ?? [],
    },
  };
});

/** A step of the outline. */
interface OutlineStep extends TreeNode {
  readonly attributes: {
    readonly DecisionStepTemplateID: number;
    readonly DecisionStep: string;
    readonly Kind: string;
    readonly Object: string | null;
    readonly Repeatability: number;
  };
  readonly children: readonly OutlineDependency[];
}

/** A step on which another depends, and the result (1 or 0) that it must have, if any. */
interface OutlineDependency extends TreeNode {
  readonly attributes: {
    readonly GroupNumber: number;
    readonly DecisionStepTemplateID: number | undefined;
    readonly IsTrue: number | undefined;
  };
}

function outlined(plan: Plan, step: PlannedStep): OutlineStep {
  const dependencies = step.groups.flatMap((group, at) =>
    group.map((need) => ({
      name: 'Dependency',
      attributes: {
        GroupNumber: at,
        DecisionStepTemplateID: plan.steps[need.step]?.id,
        IsTrue: need.isTrue === null ? undefined : Number(need.isTrue),
      },
    })),
  );
  return {
    name: 'Step',
    attributes: {
      DecisionStepTemplateID: step.id,
      DecisionStep: step.name,
      Kind: kindOf(step),
      Object: step.object,
      Repeatability: step.repeatability,
    },
    list: true,
    children: dependencies,
  };
}

/** Returns what a step does when it starts. */
function kindOf(step: PlannedStep): string {
  if (isPolling(step)) return 'Polling';
  if (isIfThen(step)) return 'IfThen';
  if (step.operation !== null) return 'Operation';
  return step.object === null ? 'Manual' : 'Record';
}
