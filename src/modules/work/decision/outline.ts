import type { TreeNode } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { isIfThen, isPolling, planOfVersion, type Plan, type PlannedStep } from './lib/template/plan.ts';

export const operation = defineOperation({
  module: 'decision',
  name: 'Outline',
  method: 'GET',
  summary:
    'Tells the steps that a workflow goes by, in the version of its template that it keeps, each with the steps that it waits for: what a picture of the workflow is drawn from.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
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
  const { DecisionTemplateVersionID: versionId } = await readRecord(ctx.db, ctx.record, ID);
  // Versions are closed to firms; who reaches the workflow may know what it is made of, as the steps themselves tell in time.
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

function outlined(plan: Plan, step: PlannedStep): TreeNode {
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

/** What a step does when it is started. */
function kindOf(step: PlannedStep): string {
  if (isPolling(step)) return 'Polling';
  if (isIfThen(step)) return 'IfThen';
  if (step.operation !== null) return 'Operation';
  return step.object === null ? 'Manual' : 'Record';
}
