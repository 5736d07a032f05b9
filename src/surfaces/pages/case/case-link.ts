import type { RecordType } from '../../../kernel/declare/record.ts';
import type { Registry } from '../../../kernel/declare/registry.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';

/**
 * Whether people think of records of a type as cases. A workflow can run on any record, but users do not look for one
 * on a task, a message or configuration.
 */
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

/** Returns the address of a case's page. */
export function casePath(record: Pick<RecordType, 'module'>, id: number | string): string {
  return `/case/${record.module}/${id}`;
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
    !hasWorkflows(call.platform.registry, record) ||
    !call.may('decision/search') ||
    !call.mayOf(record, 'select')
  )
    return false;
  return html`<a${className !== '' && html` class="${className}"`} href="${casePath(record, id)}">${text}</a>`;
}
