import type { TreeNode } from '../../../kernel/door/answer.ts';

/** Names of the records that values refer to, by the leaf with their number. */
export type LabelIndex = ReadonlyMap<TreeNode, string>;

/** Columns that only the platform uses. */
const INTERNAL: ReadonlySet<string> = new Set([
  'Object',
  'RecordClass',
  'Version',
  'CreatedPersonID',
  'UpdatedPersonID',
  'UpdatedDate',
  'MimeType',
  'FileVersion',
  'FileSize',
  'FileHash',
  'FileSha1',
  'FileMd5',
  'FileObject',
  'FilePath',
  'Sealed',
  'StateDerived',
  'LoanAssigned',
  'USSSN4',
  'StepSequence',
  'DelayCount',
  'DelayDuration',
  'DateAdded',
  'Subject',
]);

const DATES: ReadonlySet<string> = new Set(['date', 'timestamp']);

/** Returns the names of records in a tree for the leaves that refer to them by number. */
export function labelIndex(tree: TreeNode): LabelIndex {
  const names = new Map<string, string>();
  const references: (readonly [leaf: TreeNode, key: string])[] = [];
  const visit = ({ children = [] }: TreeNode): void => {
    for (const child of children) {
      if (child.children) visit(child);
      else if (child.field?.kind === 'id') {
        const record = child.name.replace(/ID$/, '');
        const own = children.find(({ name, children: below }) => name === record && below === undefined)?.value;
        const number = String(child.value);
        if (typeof own === 'string' && own !== '') names.set(`${record} ${number}`, own);
        else references.push([child, `${child.field.to ?? record} ${number}`]);
      }
    }
  };
  visit(tree);
  return new Map(
    references.flatMap(([leaf, key]) => {
      const name = names.get(key);
      return name === undefined ? [] : [[leaf, name] as const];
    }),
  );
}

/** Returns the fields of a record that people read: a record number only where its name is known. */
export function reportFields({ children = [] }: TreeNode, labels: LabelIndex): readonly TreeNode[] {
  return children.filter(
    (leaf) =>
      leaf.children === undefined &&
      leaf.list !== true &&
      !INTERNAL.has(leaf.name) &&
      leaf.value !== null &&
      leaf.value !== '' &&
      leaf.field?.kind !== 'xml' &&
      (leaf.field?.kind !== 'id' || labels.has(leaf)),
  );
}

/**
 * Returns the columns of items in the order of their first appearance, among them when they were created if nothing
 * else dates them.
 */
export function columnsOf(items: readonly TreeNode[], labels: LabelIndex): readonly TreeNode[] {
  const columns = new Map<string, TreeNode>();
  for (const item of items)
    for (const leaf of reportFields(item, labels)) if (!columns.has(leaf.name)) columns.set(leaf.name, leaf);
  const all = [...columns.values()];
  const isDated = all.some(({ name, field }) => name !== 'CreatedDate' && DATES.has(field?.kind ?? ''));
  return isDated ? all.filter(({ name }) => name !== 'CreatedDate') : all;
}
