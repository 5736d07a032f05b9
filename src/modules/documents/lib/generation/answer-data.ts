/** The data of a generation, made from operations' answers and records' summaries. */
import type { DataTable } from '../../../../contracts/generator.ts';
import type { Answer, ListAnswer, Shape, TreeAnswer, TreeNode } from '../../../../kernel/door/answer.ts';
import { answerTree } from '../../../../kernel/door/answer-tree.ts';
import { shapeOf } from '../../../../kernel/door/answer.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { Registry } from '../../../../kernel/declare/registry.ts';
import { f } from '../../../../kernel/declare/field.ts';

type DataRow = Readonly<Record<string, unknown>>;

/** Returns an answer as a tree. Throws BAD_PARAMETER for a file. */
export function treeOf(answer: Answer): TreeNode {
  const tree = answerTree(answer);
  if (!tree) throw noData();
  return tree;
}

/** The error of a Method whose answer is no data. */
function noData(): PlatformError {
  return new PlatformError('BAD_PARAMETER', {
    field: 'Method',
    message: 'Method: the operation returns a file; expected one that returns records, rows or a tree.',
  });
}

/**
 * Returns the tables of a record's summary: one with the record itself, then one for each of its collections, in their
 * order. A collection without children has a table without rows, so that a workbook has all of its sheets.
 */
export function summaryTables(registry: Registry, record: RecordType, tree: TreeNode): readonly DataTable[] {
  const tables = [tableOf(record.name, shapeOf(record), [tree])];
  for (const { name, record: childName } of registry.collections(record).values()) {
    const child = registry.record(childName);
    const node = tree.children?.find((each) => each.list === true && each.name === name);
    if (child && child.inSummary !== false) tables.push(tableOf(name, shapeOf(child), node?.children ?? []));
  }
  return tables;
}

/** Returns the tables of an answer that was read whole. */
export function answerTables(answer: Exclude<Answer, ListAnswer<object>>): readonly DataTable[] {
  if (answer.kind === 'content') throw noData();
  if (answer.kind === 'nothing') return [{ name: 'Data', columns: [], rows: () => rowsOf([]) }];
  if (answer.kind === 'item')
    return [{ name: answer.name, columns: answer.shape, rows: () => rowsOf([answer.row as DataRow]) }];
  return treeTables(answer);
}

/** Returns the tables of a tree: one for each list in it, or one with its leaves. */
function treeTables({ root }: TreeAnswer): readonly DataTable[] {
  const lists = (root.children ?? []).filter((child) => child.list === true);
  if (lists.length === 0) return [tableOf(root.name, leavesOf([root]), [root])];
  return lists.map((each) => tableOf(each.name, leavesOf(each.children ?? []), each.children ?? []));
}

/** Returns the leaves of nodes as columns, in the order of their first appearance. */
function leavesOf(nodes: readonly TreeNode[]): Shape {
  const columns = new Map<string, Shape[number]>();
  for (const { children = [] } of nodes)
    for (const { name, field, children: below } of children)
      if (!below && !columns.has(name)) columns.set(name, { name, field: field ?? f.text({ doc: name }) });
  return [...columns.values()];
}

function tableOf(name: string, columns: Shape, nodes: readonly TreeNode[]): DataTable {
  return { name, columns, rows: () => rowsOf(nodes.map(leafValues)) };
}

function leafValues({ children = [] }: TreeNode): DataRow {
  return Object.fromEntries(children.filter((each) => !each.children).map(({ name, value }) => [name, value]));
}

async function* rowsOf(rows: readonly DataRow[]): AsyncIterable<DataRow> {
  yield* rows;
}
