import type { RecordType } from '../../../kernel/declare/record.ts';
import type { Registry } from '../../../kernel/declare/registry.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';

/**
 * Whether people think of records of a type as cases. A workflow can run on any record, but users do not look for one
 * on a task, a message or configuration.
 */
export function isCaseType(registry: Registry, record: RecordType): boolean {
  return record.parent === undefined && canHaveWorkflows(registry, record);
}

/** Whether a workflow can run on records of a type. */
export function canHaveWorkflows(registry: Registry, record: RecordType): boolean {
  return (
    record.history !== false &&
    record.reach !== 'configuration' &&
    record.reach !== 'none' &&
    [...registry.collections(record).values()].some(
      (collection) => collection.record === 'Decision' && collection.by === 'Object',
    )
  );
}

/** Returns the address of a case's page. */
export function casePath(record: Pick<RecordType, 'module'>, id: number | string): string {
  return `/case/${record.module}/${id}`;
}

/** Links to the diagram of a workflow, on the page of the record on which it runs. */
export function diagramLink(
  call: PageCall,
  { name, id }: { readonly name: string; readonly id: number },
  workflowId: number,
): Markup | false {
  const record = call.platform.registry.record(name);
  if (!record || !canHaveWorkflows(call.platform.registry, record)) return false;
  if (!call.may('decision/search') || !call.mayOf(record, 'select')) return false;
  const href = `${casePath(record, id)}?tab=workflow&Workflow=${workflowId}`;
  return html`<a class="button" href="${href}">Show diagram</a>`;
}

/** Links to the case page of a record; nothing if it is not a case or the user may not see workflows. */
export function caseLink(
  call: PageCall,
  { name, id }: { readonly name: string; readonly id: number },
  text: string,
  className = '',
): Markup | false {
  const record = call.platform.registry.record(name);
  if (
    !record ||
    !isCaseType(call.platform.registry, record) ||
    !call.may('decision/search') ||
    !call.mayOf(record, 'select')
  )
    return false;
  return html`<a${className !== '' && html` class="${className}"`} href="${casePath(record, id)}">${text}</a>`;
}
