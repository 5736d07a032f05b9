import assert from 'node:assert/strict';
import type { Caller, TestAnswer, TestPlatform } from '../platform.ts';

export type WorkflowRow = Record<string, unknown>;

/** Returns a stylesheet that outputs whether a condition holds in its input. */
export function sheet(condition: string): string {
  return (
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/>' +
    `<xsl:template match="/"><xsl:choose><xsl:when test="${condition}">1</xsl:when>` +
    '<xsl:otherwise>0</xsl:otherwise></xsl:choose></xsl:template></xsl:stylesheet>'
  );
}

/**
 * A template step as it is saved. `after` lists its dependencies: `Name`, or `Name=1` and `Name=0` with a result;
 * nested lists are groups.
 */
export interface StepOf extends Record<string, unknown> {
  readonly name: string;
  readonly after?: readonly (string | readonly string[])[];
}

/** Workflow operations of tests over HTTP. */
export interface WorkflowCalls {
  ok(answer: Promise<TestAnswer>): Promise<WorkflowRow>;
  refused(answer: Promise<TestAnswer>, status: number): Promise<WorkflowRow>;
  save(module: string, body: object, caller?: Caller): Promise<WorkflowRow>;
  /** Returns the parameters of a template that is saved whole. */
  templateBody(name: string, steps: readonly StepOf[], more?: object): Record<string, unknown>;
  /** Saves a whole template. */
  template(name: string, steps: readonly StepOf[], more?: object): Promise<WorkflowRow>;
  /** Creates a case to run workflows on. */
  newCase(fields?: object): Promise<number>;
  /** Starts a workflow on a case. */
  start(name: string, caseId: number, more?: object): Promise<WorkflowRow>;
  steps(decisionId: unknown): Promise<WorkflowRow[]>;
  /** Each step's name and status, in insertion order: `Review Pending`. */
  stepStatuses(decisionId: unknown): Promise<string[]>;
  decision(decisionId: unknown): Promise<WorkflowRow>;
  complete(stepId: unknown, more?: object): Promise<TestAnswer>;
  stepNamed(decisionId: unknown, name: string): Promise<WorkflowRow>;
  /** Changes a setting of the installation. */
  set(name: string, value: string): Promise<void>;
}

/** Returns the parameters of a template that is saved whole. */
export function workflowTemplateBody(
  name: string,
  steps: readonly StepOf[],
  more: object = {},
): Record<string, unknown> {
  const body: Record<string, unknown> = { DecisionTemplate: name, AppliesTo: 'Foreclosure', ...more };
  let dependency = 0;
  for (const [at, { name: step, after = [], ...fields }] of steps.entries()) {
    body[`Steps_${at}_DecisionStepTemplate`] = step;
    for (const [field, value] of Object.entries(fields)) body[`Steps_${at}_${field}`] = value;
    for (const [group, one] of after.entries()) {
      for (const dependencyText of typeof one === 'string' ? [one] : one) {
        const [on, isTrue] = dependencyText.split('=');
        body[`Dependencies_${dependency}_DecisionStepTemplate`] = step;
        body[`Dependencies_${dependency}_DependencyStepTemplate`] = on;
        body[`Dependencies_${dependency}_GroupNumber`] = group;
        if (isTrue !== undefined) body[`Dependencies_${dependency}_IsTrue`] = isTrue;
        dependency++;
      }
    }
  }
  return body;
}

/** Binds the calls to a platform. */
export function workflowCalls(p: TestPlatform): WorkflowCalls {
  const ok = async (answer: Promise<TestAnswer>): Promise<WorkflowRow> => {
    const got = await answer;
    assert.equal(got.status, 200, got.text);
    return got.json();
  };
  const save: WorkflowCalls['save'] = (module, body, caller = p.admin) =>
    ok(caller.post(`/api/${module}/save?Output=Json`, body));
  const steps: WorkflowCalls['steps'] = async (decisionId) =>
    rowsOf(
      await ok(
        p.admin.get(
          `/api/decision/${String(decisionId)}/decisionstep/search?Output=Json&OrderBy=DecisionStepID&DisplaySize=1000`,
        ),
      ),
      'DecisionStep',
    );
  return {
    ok,
    save,
    templateBody: workflowTemplateBody,
    steps,
    async refused(answer, status) {
      const got = await answer;
      assert.equal(got.status, status, got.text);
      return (got.json() as never as { Error: WorkflowRow }).Error;
    },
    template: (name, of, more) => save('decisiontemplate', workflowTemplateBody(name, of, more)),
    async newCase(fields = {}) {
      const row = await save('foreclosure', { Foreclosure: 'Case of a test', ...fields });
      return Number(row['ForeclosureID']);
    },
    start: (name, caseId, more = {}) =>
      save('decision', { Template: name, Object: 'Foreclosure', ObjectID: caseId, ...more }),
    stepStatuses: async (decisionId) =>
      (await steps(decisionId)).map((row) => `${String(row['DecisionStep'])} ${String(row['Status'])}`),
    decision: (decisionId) => ok(p.admin.get(`/api/decision/select/${String(decisionId)}?Output=Json`)),
    complete: (stepId, more = {}) => p.admin.post('/api/decisionstep/complete?Output=Json', { ID: stepId, ...more }),
    async set(name, value) {
      await save('setting', { Setting: name, Value: value });
    },
    async stepNamed(decisionId, name) {
      const found = (await steps(decisionId)).find((row) => row['DecisionStep'] === name);
      assert.ok(found, `a step ${name}`);
      return found;
    },
  };
}

/** Returns the rows of a list's JSON answer. */
export function rowsOf(body: WorkflowRow, name: string): WorkflowRow[] {
  return ((body[`${name}Collection`] as WorkflowRow | undefined)?.[`${name}Item`] ?? []) as WorkflowRow[];
}
