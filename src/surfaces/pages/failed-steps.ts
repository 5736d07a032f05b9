import type { RecordType } from '../../kernel/declare/record.ts';
import { recordId, type Row } from '../../kernel/door/answer.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { casePath, isCaseType } from './case/case-link.ts';
import type { PageCall } from './page-call.ts';

/** Returns the records among some rows on which a workflow has a failed step, or which are such workflows. */
export async function withFailedSteps(
  call: PageCall,
  record: RecordType,
  rows: readonly Row[],
): Promise<ReadonlySet<number>> {
  const isWorkflow = record.name === 'Decision';
  const isMarked = isWorkflow || isCaseType(call.platform.registry, record);
  if (rows.length === 0 || !isMarked || !call.may('decision/search')) return new Set();
  const ids: Readonly<Record<string, readonly string[]>> = {
    [record.idField]: rows.map((row) => String(recordId(record, row))),
  };
  const { answer } = await call.callOf(record, 'search', {
    ...ids,
    FailedSteps: 'true',
    SqlColumns: record.idField,
    DisplaySize: rows.length,
    RecordCount: 'false',
  });
  return new Set(answer.rows.map((row) => recordId(record, row)));
}

/** Marks a record in a list on which a step has failed, with a link to the workflow. */
export function failedStepMark(record: RecordType, id: number): Markup {
  const mark = html`<span aria-hidden="true">!</span> Step failed`;
  if (record.name === 'Decision') return html` <span class="state failed">${mark}</span>`;
  return html` <a class="state failed" href="${casePath(record, id)}">${mark}</a>`;
}
