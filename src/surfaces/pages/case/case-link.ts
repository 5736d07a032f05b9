import type { RecordType } from '../../../kernel/declare/record.ts';
import type { Registry } from '../../../kernel/declare/registry.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';

/** Whether records of a type are cases to people. A workflow can run on any record; nobody looks for one at a task, a message or at configuration. */
export function hasWorkflows(registry: Registry, record: RecordType): boolean {
  return (
    record.parent === undefined &&
    record.history !== false &&
    record.reach !== 'configuration' &&
    record.reach !== 'none' &&
    [...registry.collections(record).values()].some(
      (collection) => collection.record === 'Decision' && collection.by === 'Object',
    )
  );
}

/** The address of a case's page. */
export function casePath(record: Pick<RecordType, 'module'>, id: number | string): string {
  return `/case/${record.module}/${id}`;
}

/** A link to a record's page as a case, where records of its type are cases and the user may see workflows. */
export function caseLink(call: PageCall, name: string, id: number, text: string, className = ''): Markup | false {
  const record = call.platform.registry.record(name);
  if (
    !record ||
    !hasWorkflows(call.platform.registry, record) ||
    !call.may('decision/search') ||
    !call.may(`${record.module}/select`)
  )
    return false;
  return html`<a${className !== '' && html` class="${className}"`} href="${casePath(record, id)}">${text}</a>`;
}
