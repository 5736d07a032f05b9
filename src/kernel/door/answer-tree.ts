import type { Answer, Shape, TreeNode } from './answer.ts';

type DataRow = Readonly<Record<string, unknown>>;

/** Returns an answer as a tree; undefined for a file. */
export function answerTree(answer: Answer): TreeNode | undefined {
  switch (answer.kind) {
    case 'tree':
      return answer.root;
    case 'item':
      return rowNode(answer.name, answer.shape, answer.row as DataRow);
    case 'list':
      return {
        name: 'Data',
        children: [
          {
            name: `${answer.name}Collection`,
            list: true,
            children: answer.rows.map((row) => rowNode(answer.name, answer.shape, row as DataRow)),
          },
        ],
      };
    case 'nothing':
      return { name: 'Data', children: [] };
    case 'content':
      return undefined;
  }
}

function rowNode(name: string, shape: Shape, row: DataRow): TreeNode {
  return {
    name: `${name}Item`,
    children: shape
      .filter(({ name: column }) => row[column] !== null && row[column] !== undefined)
      .map(({ name: column, field }) => ({ name: column, value: row[column], field })),
  };
}
