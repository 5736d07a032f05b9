import type { Context } from '../../../../kernel/door/context.ts';
import { isRetryable, loggableMessage } from '../../../../kernel/database/database-error.ts';
import { noteForOperators } from '../../../../kernel/door/error-log.ts';
import type { KnownParent } from '../../../../kernel/records/save/resolve-references.ts';

/**
 * Starts the workflow of an import type on a case created by a referral, in the referral's transaction. Its first pass
 * is queued, so that a failing step does not fail the referral. A workflow template that does not fit does not fail it
 * either, since the sender cannot fix it: it goes to the error log.
 */
export async function startWorkflow(ctx: Context, template: string, parent: KnownParent): Promise<void> {
  const workflow = (await workflowsByTemplate(ctx)).get(template.toLowerCase());
  if (workflow === undefined) return;
  try {
    await ctx.savepoint(() => ctx.actingAs('Workflow', (own) => beginWorkflow(own, workflow, parent)));
  } catch (error) {
    if (isRetryable(error)) throw error;
    const message = (
      `The workflow ${workflow} of the import type ${template} was not started on ${parent.record.name} ` +
      `${parent.id}: ${loggableMessage(error)}`
    ).slice(0, 2_000);
    ctx.log.error('workflow of a referral not started', { correlationId: ctx.correlationId, error: message });
    await ctx.transaction().elevated((db) => noteForOperators(ctx, db, 'decision/begin', message));
  }
}

function beginWorkflow(ctx: Context, workflow: number, parent: KnownParent): Promise<unknown> {
  return ctx.call('decision/begin', { DecisionTemplateID: workflow, Object: parent.record.name, ObjectID: parent.id });
}

/** Returns the workflows of import types, by lower-cased type name. */
function workflowsByTemplate(ctx: Context): Promise<ReadonlyMap<string, number>> {
  return ctx.configuration.get('workflows of import templates', async () => {
    const rows = await ctx.configuration.db.query<{ name: string; workflow: number }>(
      `select importfiletemplate as name, decisiontemplateid as workflow from importfiletemplate
        where decisiontemplateid is not null order by importfiletemplateid`,
    );
    return new Map(rows.map(({ name, workflow }) => [name.toLowerCase(), workflow]));
  });
}
