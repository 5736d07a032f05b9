import type { Context } from '../../../../kernel/door/context.ts';
import { isRetryable, loggableMessage } from '../../../../kernel/database/database-error.ts';
import { noteForOperators } from '../../../../kernel/ports/error-entry.ts';
import type { KnownParent } from '../../../../kernel/records/save/resolve-references.ts';

/**
 * Starts the workflow of an import template on a case that a referral has made, in the referral's transaction. Its first pass is made
 * from the queue, so that a step that fails does not fail the referral; nor does a template that does not fit: the sender can do nothing
 * about it, and it stands in the error log.
 */
export async function startWorkflow(ctx: Context, template: string, parent: KnownParent): Promise<void> {
  const workflow = (await workflowsByTemplate(ctx)).get(template.toLowerCase());
  if (workflow === undefined) return;
  try {
    await ctx.savepoint(() => ctx.actingAs('Workflow', (own) => beginWorkflow(own, workflow, parent)));
  } catch (error) {
    if (isRetryable(error)) throw error;
    const message =
      `The workflow ${workflow} of the import template ${template} was not started on ${parent.record.name} ${parent.id}: ${loggableMessage(error)}`.slice(
        0,
        2_000,
      );
    ctx.log.error('workflow of a referral not started', { correlationId: ctx.correlationId, error: message });
    await ctx.transaction().elevated((db) => noteForOperators(ctx, db, 'decision/begin', message));
  }
}

function beginWorkflow(ctx: Context, workflow: number, parent: KnownParent): Promise<unknown> {
  return ctx.call('decision/begin', { DecisionTemplateID: workflow, Object: parent.record.name, ObjectID: parent.id });
}

/** The workflows of import templates, by the templates' names in lower case. */
function workflowsByTemplate(ctx: Context): Promise<ReadonlyMap<string, number>> {
  return ctx.configuration.get('workflows of import templates', async () => {
    const rows = await ctx.configuration.db.query<{ name: string; workflow: number }>(
      'select importfiletemplate as name, decisiontemplateid as workflow from importfiletemplate where decisiontemplateid is not null order by importfiletemplateid',
    );
    return new Map(rows.map(({ name, workflow }) => [name.toLowerCase(), workflow]));
  });
}
