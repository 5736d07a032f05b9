import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { Context } from '../../../../kernel/door/context.ts';

/** Whether the calling user's roles let them search records of a type. */
export function maySearch({ registry, user }: Pick<Context, 'registry' | 'user'>, { module }: RecordType): boolean {
  const { operation } = registry.find(module, 'search') ?? {};
  return operation !== undefined && user.permissions.has(operation.permissionName);
}
