import { PlatformError } from '../../../kernel/door/errors.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { canHaveWorkflows } from './case-link.ts';
import type { WorkflowRow } from './step-view.ts';

/** Returns the case that the address names. @throws UNKNOWN_OPERATION for a record type without workflows */
export function caseFromPath(call: PageCall): { readonly record: RecordType; readonly id: number } {
  const { platform, path } = call;
  const record = platform.registry.record(path['class'] ?? '');
  if (!record || !canHaveWorkflows(platform.registry, record))
    throw new PlatformError('UNKNOWN_OPERATION', {
      message: 'There is no record type with this name that has workflows.',
    });
  return { record, id: recordIdFromPath(call) };
}

/** Reads the case's workflow that the parameter `Workflow` of the form or address names. @throws NOT_FOUND */
export async function workflowFromRequest(call: PageCall, record: RecordType, id: number): Promise<WorkflowRow> {
  const workflowId = plainText(call.form['Workflow'] ?? call.query['Workflow']);
  const { answer } = /^\d{1,15}$/.test(workflowId)
    ? await call.callBelow(`${record.module}/${id}`, 'decision/search', {
        ID: workflowId,
        DisplaySize: '1',
        RecordCount: 'false',
      })
    : {};
  const [row] = answer === undefined ? [] : answer.rows;
  if (!row) throw new PlatformError('NOT_FOUND', { message: "Workflow not found, or you don't have access to it." });
  return row;
}
