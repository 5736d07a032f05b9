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
    doc: 'A new workflow goes by the version of its template that holds now, and applies to what it is on. No save ends one.',
    async run(ctx, _record, values, id) {
      assertNoFinalStatus(values);
      if (id === undefined) await beginDecision(ctx, values);
    },
  },
  ...(['Decision.ParentDecisionStepID', 'ImportForm.DecisionStepID'] as const).map((binds): Check => {
    const [on = '', field = ''] = binds.split('.');
    return {
      on,
      doc: `Who says which workflow step completes with a record, in ${field}, may complete steps.`,
      applies: (_ctx, values) => Promise.resolve(typeof values.get(field.toLowerCase()) === 'number'),
      run: (ctx, record, values, id) => assertCanBindStep(ctx, record, field, { values, id }),
    };
  }),
  {
    on: 'DecisionStep',
    doc: "A step that is inserted by hand is one of its workflow's version; where it stands is not said by a save.",
    run: (ctx, _record, values, id) => checkManualStep(ctx, values, id),
  },
  {
    on: 'DecisionTemplate',
    doc: 'Kinds of workflows are ExtranetEnabled Self, also where nothing is sent for it.',
    run(_ctx, _record, values) {
      if (values.has('extranetenabled') && (values.get('extranetenabled') ?? null) === null)
        values.set('extranetenabled', 'Self');
    },
  },
  {
    on: 'DecisionStepTemplate',
    doc: 'A step that makes an instance keeps the type of its template in Object.',
    run: (ctx, _record, values, id) => normalizeStepObject(ctx, values, id),
  },
  {
    on: 'DecisionDependency',
    doc: 'A dependency names two steps of its workflow, by id or name; the refusal names the nearest.',
    run: (ctx, _record, values, id) => checkDependency(ctx, values, id),
  },
]);

export const reactions = defineReactions([
  {
    on: 'DecisionTemplate',
    after: ['insert', 'update'],
    doc: 'A kind of workflow that changes is checked whole and gets a version, by which workflows go that start from then on.',
    async run(ctx, row) {
      scheduleVersion(ctx, Number(row['DecisionTemplateID']));
      return Promise.resolve();
    },
  },
  {
    on: 'DecisionStepTemplate',
    after: ['insert', 'update', 'delete'],
    doc: 'A change of a step is one of its workflow. Dependencies are told by its name.',
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
    doc: 'A change of a dependency is one of its workflow.',
    async run(ctx, row) {
      scheduleVersion(ctx, Number(row['DecisionTemplateID']));
      return Promise.resolve();
    },
  },
  {
    on: 'Decision',
    after: ['insert'],
    doc: 'A new workflow is processed at once, or from the queue where it is to start later.',
    changesRow: true,
    run: (ctx, row) => processNew(ctx, row, { hasNoSteps: true }),
  },
  {
    on: 'Process',
    after: ['update'],
    doc: 'The open workflows of a case that gets its DateClosed are canceled at the end of the call, with their tasks and worklist items, but for those whose own step closes it.',
    run: (ctx, row, _change, changed) => cancelWorkflowsOfClosedCase(ctx, row, changed),
  },
  {
    on: 'DecisionStep',
    after: ['insert'],
    doc: 'A step that is inserted by hand is started.',
    changesRow: true,
    run: (ctx, row) => startManualStep(ctx, row),
  },
  {
    on: 'ImportForm',
    after: ['insert', 'update'],
    doc: 'A task that is complete completes the workflow steps that wait for it.',
    async run(ctx, row, _change, changed) {
      if ((row['ActualCompletion'] ?? null) !== null && changed.has('actualcompletion'))
        await completeWaitingSteps(ctx, 'ImportForm', Number(row['ImportFormID']));
    },
  },
]);
