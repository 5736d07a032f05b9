import { defineCallSource } from '../../../kernel/declare/call-source.ts';
import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { checkManualStep, startManualStep } from './lib/step/manual-step.ts';
import { assertCanBindStep } from './lib/step/bind-step.ts';
import { cancelWorkflowsOfClosedCase } from './lib/lifecycle/close-case.ts';
import { askMissingAnswers } from './lib/step/ask-missing-answers.ts';
import { completeWaitingSteps } from './lib/step/complete-waiting-steps.ts';
import { assertNoFinalStatus, beginDecision } from './lib/lifecycle/begin-decision.ts';
import { processNew, readAheadOfNew } from './lib/lifecycle/process-new.ts';
import { checkDependency } from './lib/template/check-dependency.ts';
import { stepCalls, templateStatusCalls } from './lib/template/step-calls.ts';
import { normalizeStepObject } from './lib/template/step-object.ts';
import { scheduleVersion } from './lib/template/versions.ts';
import { decision } from './decision.record.ts';
import { decisionStep } from '../decisionstep/decisionstep.record.ts';
import { decisionTemplate } from '../decisiontemplate/decisiontemplate.record.ts';
import { decisionStepTemplate } from '../records/decisionsteptemplate.record.ts';
import { decisionDependency } from '../records/decisiondependency.record.ts';
import { process } from '../../cases/process/process.record.ts';
import { importForm } from '../importform/importform.record.ts';
import { endReport } from '../importform/lib/reported-completion.ts';

const bindDoc = (field: string): string =>
  `Only users who may complete steps may set ${field}, the workflow step that completes with the record.`;

export const checks = [
  defineCheck({
    on: decision,
    doc:
      'A new workflow follows the current version of its template and must apply to its record. A save ' +
      'cannot end a workflow.',
    async run(ctx, { values, id }) {
      assertNoFinalStatus(values);
      if (id === undefined) await beginDecision(ctx, values);
    },
  }),
  defineCheck({
    on: decision,
    doc: bindDoc('ParentDecisionStepID'),
    applies: (_ctx, { values }) => Promise.resolve(typeof values.ParentDecisionStepID === 'number'),
    run: (ctx, save) => assertCanBindStep(ctx, save, 'ParentDecisionStepID', save.values.ParentDecisionStepID),
  }),
  defineCheck({
    on: importForm,
    doc: bindDoc('DecisionStepID'),
    applies: (_ctx, { values }) => Promise.resolve(typeof values.DecisionStepID === 'number'),
    run: (ctx, save) => assertCanBindStep(ctx, save, 'DecisionStepID', save.values.DecisionStepID),
  }),
  defineCheck({
    on: decisionStep,
    doc: "A manually inserted step must be in the workflow's template version. A save cannot change its status.",
    run: (ctx, { values, id }) => checkManualStep(ctx, values, id),
  }),
  defineCheck({
    on: decisionTemplate,
    doc: 'Sets ExtranetEnabled of workflow templates to Self, also if it is sent empty.',
    run(_ctx, { values }) {
      if (values.ExtranetEnabled !== undefined && values.ExtranetEnabled === null) values.ExtranetEnabled = 'Self';
    },
  }),
  defineCheck({
    on: decisionStepTemplate,
    doc: "For a step that creates a record, stores the template's record type in Object.",
    run: (ctx, { values, id }) => normalizeStepObject(ctx, values, id),
  }),
  defineCheck({
    on: decisionDependency,
    doc: 'A dependency names two steps of its workflow, by id or name; the error lists the nearest names.',
    run: (ctx, { values, id }) => checkDependency(ctx, values, id),
  }),
];

export const callSources = [
  defineCallSource({
    on: decisionStepTemplate,
    doc: 'A step calls its operation or saves the record that it creates, calls its Method, and sets statuses.',
    place: (row) => `Step "${row.DecisionStepTemplate ?? ''}"`,
    calls: stepCalls,
  }),
  defineCallSource({
    on: decisionTemplate,
    doc: 'The steps of a workflow set statuses of the record type that it applies to.',
    calls: templateStatusCalls,
  }),
];

export const reactions = [
  defineReaction({
    on: decisionTemplate,
    after: ['insert', 'update'],
    doc:
      'Checks a changed workflow template as a whole and creates a new version, which workflows started from then ' +
      'on follow.',
    async run(ctx, row) {
      scheduleVersion(ctx, row.DecisionTemplateID);
      return Promise.resolve();
    },
  }),
  defineReaction({
    on: decisionStepTemplate,
    after: ['insert', 'update', 'delete'],
    doc: "A change of a step changes its workflow template. Also updates the step's name in dependencies.",
    async run(ctx, row, change, changed) {
      scheduleVersion(ctx, row.DecisionTemplateID);
      if (change !== 'update' || !changed.has('DecisionStepTemplate')) return;
      for (const column of ['decisionsteptemplate', 'dependencysteptemplate'])
        await ctx.db.query(`update decisiondependency set ${column} = $2::text where ${column}id = $1::bigint`, [
          row.DecisionStepTemplateID,
          row.DecisionStepTemplate,
        ]);
    },
  }),
  defineReaction({
    on: decisionDependency,
    after: ['insert', 'update', 'delete'],
    doc: 'A change of a dependency changes its workflow template.',
    async run(ctx, row) {
      scheduleVersion(ctx, row.DecisionTemplateID);
      return Promise.resolve();
    },
  }),
  defineReaction({
    on: decision,
    after: ['insert'],
    doc: 'Processes a new workflow at once, or from the job queue if it starts later.',
    changesRow: true,
    readAhead: readAheadOfNew,
    run: (ctx, row) => processNew(ctx, row, { hasNoSteps: true }),
  }),
  defineReaction({
    on: process,
    after: ['update'],
    doc:
      'When a case gets its DateClosed, cancels its open workflows with their tasks and work items at ' +
      'the end of the call, except workflows whose own step closes the case.',
    run: (ctx, row, _change, changed) => cancelWorkflowsOfClosedCase(ctx, row, changed),
  }),
  defineReaction({
    on: decisionStep,
    after: ['insert'],
    doc: 'Starts a manually inserted step.',
    changesRow: true,
    run: (ctx, row) => startManualStep(ctx, row),
  }),
  defineReaction({
    on: importForm,
    after: ['insert', 'update'],
    doc:
      'When a task is completed, completes the workflow steps that wait for it. If it was reported complete without ' +
      'required answers, they wait for a second task that asks for them; if during a hold, for the end of the hold.',
    async run(ctx, row, _change, changed) {
      if (row.ActualCompletion === null || !changed.has('ActualCompletion')) return;
      const report = endReport(ctx);
      if (report && report.missing.size > 0) await askMissingAnswers(ctx, row, [...report.missing]);
      else if (report) report.isHeld = await completeWaitingSteps(ctx, 'ImportForm', row.ImportFormID, true);
      else await completeWaitingSteps(ctx, 'ImportForm', row.ImportFormID);
    },
  }),
];
