import type { RecordType } from '../../kernel/declare/record.ts';
import type { Registry } from '../../kernel/declare/registry.ts';
import type { Principal } from '../../kernel/security/identity.ts';

/** What a page can listen to, as it names it and as changes are compared with it. */
export interface Topic {
  /** As it was sent, and as it is sent back. */
  readonly name: string;
  /** `process/5`, `process/5/message`, `process`: the same for all names of a topic. */
  readonly key: string;
  /** The record that it is about; undefined for all records of a type. */
  readonly record?: { readonly type: RecordType; readonly id: number };
  /** The types whose records it reveals changes of; empty for the caller's own. */
  readonly types: readonly RecordType[];
}

const NAME = /^(?:me|(?<type>[a-z]{1,60})(?:\/(?<id>[1-9]\d{0,14}))?)(?:\/(?<part>[a-z]{1,60}))?$/;

/**
 * Parses a topic: `foreclosure/5` (the record, and what belongs or refers to it), `foreclosure/5/message` (only
 * messages), `message` (all records of the type), `me` and `me/notification` (what refers to the caller). Returns
 * undefined for any other text, and for unknown types.
 */
export function parseTopic(registry: Registry, user: Principal, name: string): Topic | undefined {
  const match = NAME.exec(name.toLowerCase());
  if (!match) return undefined;
  const { type, id, part } = match.groups ?? {};
  const of = registry.record(type ?? 'person');
  const child = part === undefined ? undefined : registry.record(part);
  if (!of || (part !== undefined && !child)) return undefined;
  const below = child === undefined ? '' : `/${child.root.table}`;
  if (type === undefined) return { name, key: `${of.root.table}/${user.personId}${below}`, types: [] };
  if (id === undefined) return child ? undefined : { name, key: of.root.table, types: [of] };
  return {
    name,
    key: `${of.root.table}/${id}${below}`,
    record: { type: of, id: Number(id) },
    types: child ? [of, child] : [of],
  };
}

/** Whether the user's roles allow reading records of a type; which rows they see is another question. */
export function mayRead(registry: Registry, user: Principal, type: RecordType): boolean {
  if (!user.universal && type.reach === 'none') return false;
  return ['select', 'search'].some((name) => {
    const operation = registry.find(type.module, name)?.operation;
    return operation !== undefined && user.permissions.has(operation.permissionName);
  });
}
