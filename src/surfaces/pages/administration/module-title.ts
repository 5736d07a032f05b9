import type { PageCall } from '../page-call.ts';

/** Returns what people call the records or subject of a module. */
export function moduleTitle({ platform }: PageCall, module: string): string {
  const record = platform.registry.record(module);
  if (record) return record.titlePlural;
  return `${module.slice(0, 1).toUpperCase()}${module.slice(1)}`;
}
