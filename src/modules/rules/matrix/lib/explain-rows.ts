import type { FoundMatrix } from './find-matrix.ts';
import { rank } from './rank.ts';
import { inputValues, type SubmittedInputs } from './submitted-inputs.ts';
import { parseCell, matchesCell } from '../../../../lib/decision-tables/cell.ts';
import { wireName } from './table.ts';
import type { TreeNode } from '../../../../kernel/door/answer.ts';
import { outputValues } from './outputs.ts';
import { f } from '../../../../kernel/declare/field.ts';

const decimal = f.decimal({ doc: 'A number.' });

/** Returns the best rows of a ranking with the outcome of each cell for the submitted value, and why. */
export function explainRows({ name, index }: FoundMatrix, sent: SubmittedInputs, size: number): TreeNode {
  const values = inputValues(index, sent);
  const { inputs, outputs, rowNumbers } = index.table;
  const rows = rank(index, values, 0, size).map(({ row, weight, matches, mismatches }): TreeNode => {
    const cells = inputs.map((input, at): TreeNode => {
      const cell = input.cells.texts[input.cells.codes[row] ?? 0] ?? '';
      const text = sent.get(wireName(input.name).toLowerCase())?.text ?? '';
      const { outcome, reason } = judgeCell(cell, text, cellMatches(cell, input.type, values[at]), input.name);
      return {
        name: 'Cell',
        children: [
          { name: 'Input', value: input.name },
          { name: 'Cell', value: cell },
          { name: 'Value', value: text },
          { name: 'Outcome', value: outcome },
          { name: 'Weight', value: String(outcome === 'Matched' ? input.weight : 0), field: decimal },
          { name: 'Reason', value: reason },
        ],
      };
    });
    const decided = outputValues(index, row);
    const listed = outputs
      .filter((output) => decided[wireName(output.name)] !== null)
      .map((output): TreeNode => ({
        name: 'Output',
        children: [
          { name: 'Name', value: output.name },
          { name: 'Value', value: String(decided[wireName(output.name)]) },
        ],
      }));
    return {
      name: 'Row',
      attributes: { Number: rowNumbers[row], Eligible: mismatches === 0 },
      children: [
        { name: 'Weight', value: String(weight), field: decimal },
        { name: 'MatchCount', value: matches },
        { name: 'MisMatchCount', value: mismatches },
        { name: 'Cells', children: cells, list: true },
        { name: 'Outputs', children: listed, list: true },
      ],
    };
  });
  return {
    name: 'MatrixExplanation',
    attributes: { Matrix: name },
    children: [{ name: 'Rows', children: rows, list: true }],
  };
}

/** Returns whether the cell matches; undefined if it is empty or its input was not sent. */
function cellMatches(
  cell: string,
  type: Parameters<typeof parseCell>[1],
  value: Parameters<typeof matchesCell>[1] | undefined,
): boolean | undefined {
  const parsed = parseCell(cell, type);
  return parsed && value ? matchesCell(parsed, value) : undefined;
}

function judgeCell(
  cell: string,
  text: string,
  met: boolean | undefined,
  input: string,
): { readonly outcome: 'Matched' | 'Blank' | 'Missed'; readonly reason: string } {
  if (cell === '') return { outcome: 'Blank', reason: 'An empty cell matches anything and adds no weight.' };
  if (text === '' || met === undefined)
    return { outcome: 'Missed', reason: `${input} was not sent; a filled cell then does not match.` };
  if (met) return { outcome: 'Matched', reason: `${text} equals the cell: ${cell}.` };
  return { outcome: 'Missed', reason: `${text} does not satisfy the cell: ${cell}.` };
}
