import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { marks } from '../../../../../kernel/door/scratch.ts';
import { insertRow } from '../../../../../kernel/records/save/insert-row.ts';
import { checkGraph } from './check-graph.ts';
import { checkStep } from './check-step.ts';
import { warnFirmControlledTarget } from './firm-controlled-target.ts';
import { warnUnsentMessage } from './unsent-message.ts';
import type { PlanContent } from './plan.ts';
import { DEPENDENCIES_MAX, readTemplate, STEPS_MAX } from './stored-template.ts';

/** Workflow templates whose new version is written when the transaction ends. */
const changedTemplates = marks<number>('changed workflow templates');

/**
 * Makes the transaction end with a new, checked version of a changed template. The check comes at the end, because
 * steps and dependencies are saved one by one.
 */
export function scheduleVersion(ctx: Context, templateId: number): void {
  ctx.once(changedTemplates, templateId, () =>
    ctx.beforeCommit(() => makeVersion(ctx, templateId).then(() => undefined)),
  );
}

/** Checks a template and stores it as a version. Returns the version; undefined if the template is deleted. */
async function makeVersion(ctx: Context, templateId: number): Promise<number | undefined> {
  const content = await readTemplate(ctx.db, templateId);
  if (!content) return undefined;
  await checkTemplate(ctx, content);
  const record = ctx.registry.recordType('DecisionTemplateVersion');
  const row = await insertRow(ctx, record, {
    DecisionTemplateVersion: content.name,
    DecisionTemplateID: templateId,
    StepCount: content.steps.length,
    CallID: ctx.correlationId.slice(0, 36),
  });
  const versionId = row.DecisionTemplateVersionID;
  await ctx.db.query(
    'insert into decisiontemplatecontent (decisiontemplateversionid, content) values ($1::bigint, $2::jsonb)',
    [versionId, JSON.stringify(content)],
  );
  return versionId;
}

async function checkTemplate(ctx: Context, content: PlanContent): Promise<void> {
  if (content.appliesTo !== null) ctx.registry.requireRecord(content.appliesTo, 'AppliesTo');
  if (content.steps.length > STEPS_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'Steps',
      message: `Steps: a workflow has at most ${STEPS_MAX} steps.`,
    });
  if (content.steps.reduce((sum, { groups }) => sum + groups.flat().length, 0) > DEPENDENCIES_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'Dependencies',
      message: `Dependencies: a workflow has at most ${DEPENDENCIES_MAX} dependencies.`,
    });
  for (const step of content.steps) {
    await checkStep(ctx, step, content.appliesTo);
    await warnFirmControlledTarget(ctx, step, content.appliesTo);
    await warnUnsentMessage(ctx, step);
  }
  checkGraph(content);
}

/**
 * Returns the version that a workflow starts with now: the latest, or a new one if this call has changed the template.
 */
export async function currentVersion(ctx: Context, templateId: number): Promise<number> {
  if (ctx.scratch(changedTemplates).has(templateId)) {
    const made = await makeVersion(ctx, templateId);
    if (made !== undefined) return made;
  }
  // Templates are configuration: the latest version is cached until configuration changes.
  const find = async (db: Context['db']): Promise<number | undefined> => {
    const [row] = await db.query<{ id: number | null }>(
      'select max(decisiontemplateversionid) as id from decisiontemplateversion where decisiontemplateid = $1::bigint',
      [templateId],
    );
    return row?.id ?? undefined;
  };
  const found =
    (await ctx.configuration.get(`version of workflow ${templateId}`, () => find(ctx.configuration.db))) ??
    (await find(ctx.db));
  if (found === undefined)
    throw new PlatformError('STATE_REFUSES', {
      field: 'Template',
      message: `Template: the workflow template ${templateId} has no version. Save it once more.`,
    });
  return found;
}
