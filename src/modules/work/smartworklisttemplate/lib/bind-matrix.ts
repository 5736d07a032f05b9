import type { Row, TreeNode } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { smartWorklistTemplate } from '../smartworklisttemplate.record.ts';

/** The purpose of a matrix. */
type Kind = 'team' | 'audit';

/** The outputs of each kind. A bound matrix needs at least one of `needs`. */
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

/** Common fields for dividing work, in the order in which they become inputs if the record type has them. */
const usual = ['Status', 'State', 'Priority', 'LoanType', 'InvestorName', 'ProcessType'];
/** Fields of a completed item for choosing audits. */
const ofItem = ['PersonID', 'TeamID', 'Priority', 'Reason'];
/** Most characters of a template's name in its matrix's name. */
const NAME_CHARACTERS_MAX = 80;

interface Input {
  readonly name: string;
  readonly xpath: string;
}

/** Binds a matrix to a locked template: a given one, which must have the outputs, or a new one. */
export async function bindMatrix(
  ctx: Context<typeof smartWorklistTemplate>,
  template: Row<typeof smartWorklistTemplate>,
  kind: Kind,
  matrixId: number | undefined,
): Promise<void> {
  const templateId = template.SmartWorklistTemplateID;
  const { column } = kinds[kind];
  if (matrixId !== undefined) await assertOutputs(ctx, matrixId, kind);
  else if (template[column] !== null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message:
        `Template ${templateId} already has ${column} ${template[column]}; change that ` +
        'matrix, or send the ID of another.',
    });
  const bound = matrixId ?? (await makeMatrix(ctx, template, kind));
  const binding = kind === 'team' ? { TeamMatrixID: bound } : { AuditMatrixID: bound };
  await ctx.call('smartworklisttemplate/update', { ID: templateId, ...binding });
}

/** @throws BAD_PARAMETER listing the missing outputs */
async function assertOutputs(ctx: Context, matrixId: number, kind: Kind): Promise<void> {
  const { column, needs } = kinds[kind];
  const { root } = await ctx.call('matrix/columns', { ID: matrixId });
  const outputs = root.children
    .filter((node: TreeNode) => node.name === 'Output')
    .map((node) => String(node.attributes?.['Parameter']).toLowerCase());
  if (needs.some((name) => outputs.includes(name.toLowerCase()))) return;
  throw new PlatformError('BAD_PARAMETER', {
    field: column,
    message: `${column}: matrix ${matrixId} has none of the outputs ${needs.join(', ')}.`,
  });
}

async function makeMatrix(ctx: Context, template: Row<typeof smartWorklistTemplate>, kind: Kind): Promise<number> {
  const { suffix, outputs } = kinds[kind];
  const label = Array.from(template.SmartWorklistTemplate ?? 'Worklist')
    .slice(0, NAME_CHARACTERS_MAX)
    .join('');
  const inputs =
    kind === 'audit'
      ? inputsOf(ctx.registry.recordType('SmartWorklistMember'), ofItem)
      : inputsOf(ctx.registry.record(template.SourceObject ?? ''), usual);
  const { row } = await ctx.call('matrix/save', {
    Matrix: `${label} ${suffix} ${template.SmartWorklistTemplateID}`,
    Description: `${kind === 'team' ? 'Assigns teams to' : 'Selects for audit'} the items of the worklist ${label}.`,
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
  return row.MatrixID;
}

/** Returns an input for each field that the record type has; its Status if it has none of them or is unknown. */
function inputsOf(record: RecordType | undefined, names: readonly string[]): readonly Input[] {
  const found = names.flatMap((name) => record?.columns.get(name.toLowerCase())?.name ?? []);
  return (found.length === 0 ? ['Status'] : found).map((name) => ({ name, xpath: `/*/${name}` }));
}
