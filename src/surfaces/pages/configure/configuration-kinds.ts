import type { ConfigurationGroupName, RecordType } from '../../../kernel/declare/record.ts';
import type { Registry } from '../../../kernel/declare/registry.ts';
import { isIconName, type IconName } from '../design/icons.ts';
import type { PageCall } from '../page-call.ts';

/** A kind of record that analysts configure. */
export interface ConfigurationKind {
  readonly record: RecordType;
  readonly icon: IconName;
  /** What it is for, in a few words. */
  readonly text: string;
}

/** Kinds that are configured for one purpose. */
export interface ConfigurationGroup {
  readonly id: ConfigurationGroupName;
  readonly title: string;
  readonly kinds: readonly ConfigurationKind[];
}

/** The titles of groups in the order in which they are shown. */
const titles: Readonly<Record<ConfigurationGroupName, string>> = {
  work: 'Work',
  rules: 'Rules',
  words: 'Messages and documents',
  data: 'Data',
  pages: 'Pages',
  exchange: 'Exchange',
};

/** Returns everything that analysts configure, as the record types declare it. */
export function configurationGroups(registry: Registry): readonly ConfigurationGroup[] {
  const declared = registry.records().flatMap((record) => (record.kind ? [{ record, ...record.kind }] : []));
  const of = Map.groupBy(declared, ({ group }) => group);
  return (Object.keys(titles) as ConfigurationGroupName[]).map((id) => ({
    id,
    title: titles[id],
    kinds: (of.get(id) ?? [])
      .sort((one, other) => one.position - other.position)
      .map(({ record, icon, text }) => ({ record, icon: iconOf(icon), text })),
  }));
}

const iconOf = (name: string): IconName => (isIconName(name) ? name : 'settings');

/** Whether a user may change any kind of configuration. */
export function mayConfigure(call: PageCall): boolean {
  return configurationGroups(call.platform.registry).some(({ kinds }) => kinds.some((kind) => maySave(call, kind)));
}

/** Whether a user may change this kind: what they may only read is not offered. */
export function maySave(call: PageCall, { record }: ConfigurationKind): boolean {
  return call.mayOf(record, 'search') && call.mayOf(record, 'save');
}

/** Returns the icon of a kind of record. */
export function kindIcon(record: RecordType | undefined): IconName {
  return iconOf(record?.kind?.icon ?? '');
}
