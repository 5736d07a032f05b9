import type { Context } from '../../../kernel/door/context.ts';
import { enqueueAsSystem } from '../../../kernel/security/system-user.ts';

/** A workflow that starts on a record. */
export interface WorkflowStart {
  readonly templateId: number;
  readonly object: string;
  readonly objectId: number;
}

/**
 * Queues the start of a workflow with the commit, as the user System. The caller has checked that it fits the record.
 */
export function queueWorkflow(own: Context, { templateId, object, objectId }: WorkflowStart): Promise<unknown> {
  return enqueueAsSystem(own, {
    route: 'decision/begin',
    parameters: { DecisionTemplateID: templateId, Object: object, ObjectID: objectId },
    queueName: 'Default',
    label: `${object} ${objectId}`,
  });
}
