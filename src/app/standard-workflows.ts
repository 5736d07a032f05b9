import type { Db } from '../kernel/database/store.ts';
import { readTemplate } from '../modules/work/decision/lib/template/stored-template.ts';
import {
  referralWorkflows,
  standardHolds,
  standardTasks,
  standardWorkflows,
  type StandardStep,
  type StandardTask,
  type StandardWorkflow,
} from './standard-workflow-definitions.ts';

/** The units of durations, as DurationScale counts them. */
const DAYS = 0;
const BUSINESS_DAYS = 6;

/**
 * Loads the standard workflows into a store that has none: tasks with their forms, holds, workflows with their first versions, and what
 * new referrals start. They are templates like any other, with outside identifiers by which they go from installation to installation.
 * The names of tasks are theirs within a record type, and so are those of the holds and workflows.
 */
export async function loadStandardWorkflows(db: Db, now: string): Promise<void> {
  const tasks = await insertTasks(db, now);
  await insertHolds(db, now, tasks);
  const workflows = new Map<string, number>();
  for (const workflow of standardWorkflows)
    workflows.set(workflow.identifier, await insertWorkflow(db, now, workflow, tasks, workflows));
  for (const [referral, identifier] of Object.entries(referralWorkflows)) {
    await db.query(
      'update importfiletemplate set decisiontemplateid = $2::bigint where importfiletemplate = $1::text',
      [referral, workflows.get(identifier)],
    );
  }
}

const taskKey = (appliesTo: string, name: string): string => `${appliesTo} ${name}`;

async function identify(
  db: Db,
  now: string,
  object: string,
  records: readonly { readonly id: number; readonly identifier: string }[],
): Promise<void> {
  await db.query(
    `insert into objectsubscription (object, objectid, organizationid, subscriberid, objectsubscription, createddate)
     select $1::text, r.id, 0, r.identifier, r.identifier, $3::timestamptz from json_to_recordset($2::json) as r (id bigint, identifier text)`,
    [object, JSON.stringify(records), now],
  );
}

/** Answers the tasks' ids by record type and name. */
async function insertTasks(db: Db, now: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ id: number; name: string; appliesto: string }>(
    `insert into importformtemplate (importformtemplate, status, appliesto, repeatable, extranetenabled, instructions, createddate)
     select t.name, 'Active', t."appliesTo", 'Many', 'Self', t.instructions, $2::timestamptz from json_to_recordset($1::json) as t (name text, "appliesTo" text, instructions text)
     returning importformtemplateid as id, importformtemplate as name, appliesto`,
    [JSON.stringify(standardTasks), now],
  );
  const ids = new Map(rows.map(({ id, name, appliesto }) => [taskKey(appliesto, name), id]));
  const questions = standardTasks.flatMap((task) =>
    task.questions.map((question, at) => ({
      ...question,
      choices: question.choices?.join('\n'),
      form: ids.get(taskKey(task.appliesTo, task.name)),
      sequence: at + 1,
    })),
  );
  await db.query(
    `insert into importformquestion (importformquestion, importformtemplateid, questiontype, prompt, sequence, isrequired, choices, createddate)
     select q.name, q.form, q.type, q.prompt, q.sequence, coalesce(q.required, false), q.choices, $2::timestamptz
     from json_to_recordset($1::json) as q (name text, form bigint, type text, prompt text, sequence integer, required boolean, choices text)`,
    [JSON.stringify(questions), now],
  );
  const identifierOf = ({ appliesTo, name }: StandardTask): string =>
    `standard/${appliesTo} ${name}`.toLowerCase().replaceAll(' ', '-');
  await identify(
    db,
    now,
    'ImportFormTemplate',
    standardTasks.map((task) => ({
      id: ids.get(taskKey(task.appliesTo, task.name)) ?? 0,
      identifier: identifierOf(task),
    })),
  );
  return ids;
}

async function insertHolds(db: Db, now: string, tasks: ReadonlyMap<string, number>): Promise<void> {
  const rows = await db.query<{ id: number; name: string }>(
    `insert into decisiondelaytemplate (decisiondelaytemplate, status, appliesto, repeatable, extranetenabled, description, importformtemplateid, createddate)
     select h.name, 'Active', h."appliesTo", 'OneActive', 'Self', h.description, h.task, $2::timestamptz from json_to_recordset($1::json) as h (name text, "appliesTo" text, description text, task bigint)
     returning decisiondelaytemplateid as id, decisiondelaytemplate as name`,
    [
      JSON.stringify(
        standardHolds.map((hold) => ({
          ...hold,
          task: hold.task === undefined ? undefined : tasks.get(taskKey(hold.appliesTo, hold.task)),
        })),
      ),
      now,
    ],
  );
  const ids = new Map(rows.map(({ id, name }) => [name, id]));
  await identify(
    db,
    now,
    'DecisionDelayTemplate',
    standardHolds.map(({ name, identifier }) => ({ id: ids.get(name) ?? 0, identifier })),
  );
}

/** A stylesheet that answers 1 where a condition on the case's summary holds. */
function stylesheet(condition: string): string {
  const escaped = condition
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  return `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/><xsl:template match="/"><xsl:choose><xsl:when test="${escaped}">1</xsl:when><xsl:otherwise>0</xsl:otherwise></xsl:choose></xsl:template></xsl:stylesheet>`;
}

function stepRow(
  step: StandardStep,
  at: number,
  appliesTo: string,
  tasks: ReadonlyMap<string, number>,
  workflows: ReadonlyMap<string, number>,
): Record<string, unknown> {
  const { name, kind, condition, days, businessDays, referenceDate, caseStatus } = step;
  const template =
    kind === 'task'
      ? { object: 'ImportFormTemplate', objectid: tasks.get(taskKey(appliesTo, name)) }
      : kind === 'workflow'
        ? { object: 'DecisionTemplate', objectid: workflows.get(step.workflow ?? '') }
        : {};
  const type = kind === 'asks' ? 'IfThen' : kind === 'waits' ? 'Polling' : undefined;
  if ('object' in template && template.objectid === undefined)
    throw new Error(`the standard step ${name} makes nothing that there is`);
  return {
    name,
    type,
    sequence: at + 1,
    ...template,
    xslt: condition === undefined ? undefined : stylesheet(condition),
    scale: businessDays === undefined ? DAYS : BUSINESS_DAYS,
    duration: businessDays ?? days,
    referencedate: referenceDate,
    status: caseStatus,
  };
}

async function insertWorkflow(
  db: Db,
  now: string,
  workflow: StandardWorkflow,
  tasks: ReadonlyMap<string, number>,
  workflows: ReadonlyMap<string, number>,
): Promise<number> {
  const { name, appliesTo, description, steps, identifier } = workflow;
  const [made] = await db.query<{ id: number }>(
    `insert into decisiontemplate (decisiontemplate, status, appliesto, repeatable, extranetenabled, description, enforcestartdates, enforcedelay, createddate)
     values ($1::text, 'Active', $2::text, 'OneActive', 'Self', $3::text, false, true, $4::timestamptz) returning decisiontemplateid as id`,
    [name, appliesTo, description, now],
  );
  const id = made?.id ?? 0;
  const rows = await db.query<{ id: number; name: string }>(
    `insert into decisionsteptemplate (decisionsteptemplate, decisionsteptemplatetype, decisiontemplateid, sequence, object, objectid, stepxslt, durationscale, estimatedduration, referencedate, repeatability, oncompleteparentstatus, batchlog, async, createoncompletion, createddate)
     select s.name, s.type, $2::bigint, s.sequence, s.object, s.objectid, s.xslt, s.scale, s.duration, s.referencedate, 1, s.status, false, false, false, $3::timestamptz
     from json_to_recordset($1::json) as s (name text, type text, sequence integer, object text, objectid bigint, xslt text, scale integer, duration numeric, referencedate text, status text) order by s.sequence
     returning decisionsteptemplateid as id, decisionsteptemplate as name`,
    [JSON.stringify(steps.map((step, at) => stepRow(step, at, appliesTo, tasks, workflows))), id, now],
  );
  const ids = new Map(rows.map((row) => [row.name, row.id]));
  await insertDependencies(db, now, id, steps, ids);
  await identify(db, now, 'DecisionTemplate', [{ id, identifier }]);
  await insertVersion(db, now, id, name);
  return id;
}

async function insertDependencies(
  db: Db,
  now: string,
  template: number,
  steps: readonly StandardStep[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const dependencies = steps.flatMap((step) =>
    step.after.flatMap((group, number) =>
      group.map((said) => {
        const [on = '', isTrue] = said.split('=');
        if (!ids.has(on)) throw new Error(`the standard step ${step.name} waits for ${on}, which there is not`);
        return {
          step: step.name,
          stepid: ids.get(step.name),
          on,
          onid: ids.get(on),
          istrue: isTrue === undefined ? undefined : isTrue === '1',
          number,
        };
      }),
    ),
  );
  await db.query(
    `insert into decisiondependency (decisiontemplateid, decisionsteptemplate, decisionsteptemplateid, dependencysteptemplate, dependencysteptemplateid, istrue, groupnumber, createddate)
     select $2::bigint, d.step, d.stepid, d.on, d.onid, d.istrue, d.number, $3::timestamptz from json_to_recordset($1::json) as d (step text, stepid bigint, "on" text, onid bigint, istrue boolean, number integer)`,
    [JSON.stringify(dependencies), template, now],
  );
}

/** The version that the first workflows go by; as any other it is checked whole when somebody changes it. */
async function insertVersion(db: Db, now: string, template: number, name: string): Promise<void> {
  const content = await readTemplate(db, template);
  if (!content) throw new Error(`the standard workflow ${name} was inserted but not read`);
  const [version] = await db.query<{ id: number }>(
    'insert into decisiontemplateversion (decisiontemplateversion, decisiontemplateid, stepcount, createddate) values ($1::text, $2::bigint, $3::integer, $4::timestamptz) returning decisiontemplateversionid as id',
    [name, template, content.steps.length, now],
  );
  await db.query(
    'insert into decisiontemplatecontent (decisiontemplateversionid, content) values ($1::bigint, $2::jsonb)',
    [version?.id, JSON.stringify(content)],
  );
}
