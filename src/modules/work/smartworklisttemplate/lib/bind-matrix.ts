import type { TreeNode } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { columnText } from '../../lib/column-text.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { lockRecord } from '../../../../kernel/records/save/lock-record.ts';

/** What a matrix is for. */
type Kind = 'team' | 'audit';

/** The outputs of each kind; of one that is bound at least those in `needs`, any of them. */
const kinds = {
  team: {
    column: 'TeamMatrixID',
    suffix: 'team',
    outputs: [{ name: 'Team' }, { name: 'Person' }, { name: 'Priority', type: 'Number' }, { name: 'SmartWorklist' }],
    needs: ['Team', 'Person', 'Priority', 'SmartWorklist'],
  },
  audit: {
    column: 'AuditMatrixID',
    suffix: 'audit',
    outputs: [{ name: 'Percentage', type: 'Number' }, { name: 'SmartWorklist' }, { name: 'Team' }],
    needs: ['Percentage'],
  },
} as const;

/** Fields by which work is often divided, in the order in which they become inputs where the record type has them. */
const usual = ['Status', 'State', 'Priority', 'LoanType', 'InvestorName', 'ProcessType'];
/** Fields of a completed item by which it is chosen to be looked at again. */
const ofItem = ['PersonID', 'TeamID', 'Priority', 'Reason'];
/** So many characters of a template's name are kept in the name of its matrix. */
const NAME_CHARACTERS_MAX = 80;

interface Input {
  readonly name: string;
  readonly xpath: string;
}

/** Binds a matrix to a template: the one given, which must have the outputs, or a new one. */
export async function bindMatrix(
  ctx: Context,
  templateId: number,
  kind: Kind,
  matrixId: number | undefined,
): Promise<void> {
  const template = await lockRecord(ctx, ctx.record, templateId);
  const { column } = kinds[kind];
  if (matrixId !== undefined) await assertOutputs(ctx, matrixId, kind);
  else if (template[column] !== null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `Template ${templateId} has ${column} ${columnText(template[column])} already; change that matrix, or send the id of another.`,
    });
  const bound = matrixId ?? (await makeMatrix(ctx, template, kind));
  await ctx.call('smartworklisttemplate/update', { ID: templateId, [column]: bound });
}

/** @throws BAD_PARAMETER that names the outputs of which the matrix has none */
async function assertOutputs(ctx: Context, matrixId: number, kind: Kind): Promise<void> {
  const { column, needs } = kinds[kind];
  const { root } = await ctx.call('matrix/columns', { ID: matrixId });
  const outputs = root.children
    .filter((node: TreeNode) => node.name === 'Output')
    .map((node) => String(node.attributes?.['Parameter']).toLowerCase());
  if (needs.some((name) => outputs.includes(name.toLowerCase()))) return;
  throw new PlatformError('BAD_PARAMETER', {
    field: column,
    message: `${column}: matrix ${matrixId} decides none of ${needs.join(', ')}.`,
  });
}

async function makeMatrix(ctx: Context, template: Readonly<Record<string, unknown>>, kind: Kind): Promise<number> {
  const { suffix, outputs } = kinds[kind];
  const label = Array.from(columnText(template['SmartWorklistTemplate'] ?? 'Worklist'))
    .slice(0, NAME_CHARACTERS_MAX)
    .join('');
  const inputs =
    kind === 'audit'
      ? inputsOf(ctx.registry.requireRecord('SmartWorklistMember', 'SourceObject'), ofItem)
      : inputsOf(ctx.registry.record(columnText(template['SourceObject'])), usual);
  const { row } = await ctx.call('matrix/save', {
    Matrix: `${label} ${suffix} ${String(template['SmartWorklistTemplateID'])}`,
    Description: `${kind === 'team' ? 'Who works on' : 'What is looked at again of'} the items of the worklist ${label}.`,
    Dimensions: inputs.map(({ name, xpath }, at) => ({ MatrixDimension: name, XPath: xpath, Sequence: at + 1 })),
    Measures: outputs.map((output, at) => ({
      MatrixMeasure: output.name,
      Sequence: at + 1,
      ...('type' in output ? { ValueType: output.type } : {}),
    })),
    ...(kind === 'audit'
      ? { Facts: [{ MatrixFact: 'Percentage', MatrixFactType: 'Output', RowNumber: 1, Cell: '0' }] }
      : {}),
  });
  return Number(row['MatrixID']);
}

/** An input for each of the fields that a record type has; its own status where it has none of them, and where it is not known. */
function inputsOf(record: RecordType | undefined, names: readonly string[]): readonly Input[] {
  const found = names.flatMap((name) => record?.columns.get(name.toLowerCase())?.name ?? []);
  return (found.length === 0 ? ['Status'] : found).map((name) => ({ name, xpath: `/*/${name}` }));
}
