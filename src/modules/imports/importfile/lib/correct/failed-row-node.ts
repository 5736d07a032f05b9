import type { TreeNode } from '../../../../../kernel/door/answer.ts';
import { maskNumbers } from '../../../../../kernel/security/mask.ts';
import type { FailedRowCells } from './failed-cells.ts';

/** A failed row with its cells. */
interface FailedRowNode extends TreeNode {
  readonly name: 'FailedRow';
  readonly attributes: {
    readonly ImportLogID: number | null;
    readonly SourceLine: number;
    readonly Label: string | null;
    readonly SourceColumn: string | null;
    readonly Message: string;
  };
  readonly children: readonly (CellNode | ReasonNode)[];
}

interface CellNode extends TreeNode {
  readonly name: 'Value';
  readonly attributes: {
    readonly Source: string;
    readonly Problem: string | undefined;
    readonly Absent: true | undefined;
  };
  readonly value: string;
}

interface ReasonNode extends TreeNode {
  readonly name: 'Reason';
  readonly value: string;
}

/** Returns the node of a failed row. */
export function rowNode({ importLogId, line, label, column, message, cells, reasons }: FailedRowCells): FailedRowNode {
  return {
    name: 'FailedRow',
    attributes: { ImportLogID: importLogId, SourceLine: line, Label: label, SourceColumn: column, Message: message },
    children: [
      ...cells.map(({ source, value, problem, isAbsent }): CellNode => ({
        name: 'Value',
        attributes: { Source: maskNumbers(source), Problem: problem, Absent: isAbsent },
        value,
      })),
      ...reasons.map((value): ReasonNode => ({ name: 'Reason', value })),
    ],
  };
}
