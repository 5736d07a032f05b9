import type { ListAnswer, Row } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { recordIdFromPath } from '../record-address.ts';
import type { PageCall } from '../page-call.ts';
import { hasWorkflows } from './case-link.ts';

/** The case that an address names: of a record type that has workflows. */
export function caseFromPath(call: PageCall): { readonly record: RecordType; readonly id: number } {
  const { platform, path } = call;
  const record = platform.registry.record(path['class'] ?? '');
  if (!record || !hasWorkflows(platform.registry, record))
    throw new PlatformError('UNKNOWN_OPERATION', {
      message: 'There is no record type of this name that has workflows.',
    });
  return { record, id: recordIdFromPath(call) };
}

/** The workflow of the case that `Workflow` names, in a form or else in the address. */
export async function workflowFromRequest(call: PageCall, record: RecordType, id: number): Promise<Row> {
  const wanted = String(call.form['Workflow'] ?? call.query['Workflow'] ?? '');
  const { answer } = /^\d{1,15}$/.test(wanted)
    ? await call.call(`${record.module}/${id}/decision/search`, { ID: wanted, DisplaySize: '1', RecordCount: 'false' })
    : {};
  const [row] = answer === undefined ? [] : (answer as ListAnswer).rows;
  if (!row) throw new PlatformError('NOT_FOUND', { message: 'There is no such workflow of this record.' });
  return row;
}
