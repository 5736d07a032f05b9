import { defineChecks, defineReactions, type Check } from '../../../kernel/declare/reaction.ts';
import { checkManualStep, startManualStep } from './lib/step/manual-step.ts';
import { assertCanBindStep } from './lib/step/bind-step.ts';
import { cancelWorkflowsOfClosedCase } from './lib/lifecycle/close-case.ts';
import { completeWaitingSteps } from './lib/step/complete-waiting-steps.ts';
import { assertNoFinalStatus, beginDecision } from './lib/lifecycle/begin-decision.ts';
import { processNew } from './lib/lifecycle/process-new.ts';
import { checkDependency } from './lib/template/check-dependency.ts';
import { normalizeStepObject } from './lib/template/step-object.ts';
import { scheduleVersion } from './lib/template/versions.ts';

export const checks = defineChecks([
  {
    on: 'Decision',
    doc:
      'A new workflow follows the current version of its template and must apply to its record. A save ' +
      'cannot end a workflow.',
    async run(ctx, _record, values, id) {
      assertNoFinalStatus(values);
      if (id === undefined) await beginDecision(ctx, values);
    },
  },
  ...(['Decision.ParentDecisionStepID', 'ImportForm.DecisionStepID'] as const).map((binds): Check => {
    const [on = '', field = ''] = binds.split('.');
    return {
      on,
      doc: `Only users who may complete steps may set ${field}, the workflow step that completes with the record.`,
      applies: (_ctx, values) => Promise.resolve(typeof values.get(field.toLowerCase()) === 'number'),
      run: (ctx, record, values, id) => assertCanBindStep(ctx, record, field, { values, id }),
    };
  }),
  {
    on: 'DecisionStep',
    doc: "A manually inserted step must be in the workflow's template version. A save cannot change its status.",
    run: (ctx, _record, values, id) => checkManualStep(ctx, values, id),
  },
  {
    on: 'DecisionTemplate',
    doc: 'Sets ExtranetEnabled of workflow templates to Self, also if it is sent empty.',
    run(_ctx, _record, values) {
      if (values.has('extranetenabled') && (values.get('extranetenabled') ?? null) === null)
        values.set('extranetenabled', 'Self');
    },
  },
  {
    on: 'DecisionStepTemplate',
    doc: "For a step that creates a record, stores the template's record type in Object.",
    run: (ctx, _record, values, id) => normalizeStepObject(ctx, values, id),
  },
  {
    on: 'DecisionDependency',
    doc: 'A dependency names two steps of its workflow, by id or name; the error lists the nearest names.',
    run: (ctx, _record, values, id) => checkDependency(ctx, values, id),
  },
]);

export const reactions = defineReactions([
  {
    on: 'DecisionTemplate',
    after: ['insert', 'update'],
    doc:
      'Checks a changed workflow template as a whole and creates a new version, which workflows started from then ' +
      'on follow.',
    async run(ctx, row) {
      scheduleVersion(ctx, Number(row['DecisionTemplateID']));
      return Promise.resolve();
    },
  },
  {
    on: 'DecisionStepTemplate',
    after: ['insert', 'update', 'delete'],
    doc: "A change of a step changes its workflow template. Also updates the step's name in dependencies.",
    async run(ctx, row, change, changed) {
      scheduleVersion(ctx, Number(row['DecisionTemplateID']));
      if (change !== 'update' || !changed.has('decisionsteptemplate')) return;
      for (const column of ['decisionsteptemplate', 'dependencysteptemplate'])
        await ctx.db.query(`update decisiondependency set ${column} = $2::text where ${column}id = $1::bigint`, [
          row['DecisionStepTemplateID'],
          row['DecisionStepTemplate'],
        ]);
    },
  },
  {
    on: 'DecisionDependency',
    after: ['insert', 'update', 'delete'],
    doc: 'A change of a dependency changes its workflow template.',
    async run(ctx, row) {
      scheduleVersion(ctx, Number(row['DecisionTemplateID']));
      return Promise.resolve();
    },
  },
  {
    on: 'Decision',
    after: ['insert'],
    doc: 'Processes a new workflow at once, or from the job queue if it starts later.',
    changesRow: true,
    run: (ctx, row) => processNew(ctx, row, { hasNoSteps: true }),
  },
  {
    on: 'Process',
    after: ['update'],
    doc:
      'When a case gets its DateClosed, cancels its open workflows with their tasks and work items at ' +
      'the end of the call, except workflows whose own step closes the case.',
    run: (ctx, row, _change, changed) => cancelWorkflowsOfClosedCase(ctx, row, changed),
  },
  {
    on: 'DecisionStep',
    after: ['insert'],
    doc: 'Starts a manually inserted step.',
    changesRow: true,
    run: (ctx, row) => startManualStep(ctx, row),
  },
  {
    on: 'ImportForm',
    after: ['insert', 'update'],
    doc: 'When a task is completed, completes the workflow steps that wait for it.',
    async run(ctx, row, _change, changed) {
      if ((row['ActualCompletion'] ?? null) !== null && changed.has('actualcompletion'))
        await completeWaitingSteps(ctx, 'ImportForm', Number(row['ImportFormID']));
    },
  },
]);
