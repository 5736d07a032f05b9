import { item } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertDraftVersion } from '../../../kernel/records/drafts/record-drafts.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { GridEditError } from '../../../lib/decision-tables/grid-edit-error.ts';
import { applyEdit, parseEdits, type Grid, type GridEdit } from '../../../lib/decision-tables/grid.ts';
import { assertColumnName } from './lib/column-name.ts';
import { assertWeight } from './lib/check-column.ts';
import { draftParams, draftState, draftStateFields } from './lib/draft-answer.ts';
import { editedGrid, readEdited, storeGrid, withGrid } from './lib/drafts.ts';

export const operation = defineOperation({
  module: 'matrix',
  name: 'SaveDraft',
  method: 'POST',
  summary:
    'Changes the draft of a matrix, or begins one. What is published stays as it is. Cells that cannot be read are ' +
    'stored and reported among the findings.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'MatrixImportTable',
  on: 'configuration',
  names: 'ID',
  reach: 'locked row',
  params: {
    ...draftParams,
    Edits: required(
      f.json({
        doc:
          'Changes in order, as a JSON array. Rows and columns count from 0. ' +
          '`{"kind":"set","cells":[{"row":0,"column":1,"text":"CA"}]}`, ' +
          '`{"kind":"insert","at":2,"rows":[["CA","5"]]}`, ' +
          '`{"kind":"remove","at":2,"count":1}`, `{"kind":"move","from":2,"to":0}`, ' +
          '`{"kind":"weight","column":0,"weight":"5"}`, ' +
          '`{"kind":"addColumn","at":1,"column":{"kind":"Input","name":"State","weight":"1","type":"Text",' +
          '"objectType":null}}`, `{"kind":"renameColumn","column":0,"name":"County"}`, ' +
          '`{"kind":"moveColumn","from":0,"to":1}`, ' +
          '`{"kind":"typeColumn","column":0,"type":"Number","objectType":null}`, ' +
          '`{"kind":"removeColumn","column":0}`.',
      }),
    ),
    Try: f.boolean({
      doc: 'Only return the draft as it would be, with its findings: nothing is stored.',
      default: false,
    }),
  },
  returns: draftStateFields,
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NOT_FOUND', 'STATE_REFUSES', 'TOO_LARGE', 'VERSION_CONFLICT'],
  source: '1-core §2, Rules',
});

export const run = handle(operation, async (ctx, { ID, Version, Edits, Try }) => {
  const name = namedRow(ctx, ctx.record).Matrix ?? '';
  const edited = await readEdited(ctx, ID, name);
  assertDraftVersion(edited.draft, Version);
  const grid = applyAll(editedGrid(edited), Edits);
  if (Try) return item('MatrixDraft', draftStateFields, await draftState(ctx, withGrid(edited, grid)));
  await storeGrid(ctx, edited, grid);
  return item('MatrixDraft', draftStateFields, await draftState(ctx, await readEdited(ctx, ID, name)));
});

function applyAll(grid: Grid, sent: unknown): Grid {
  try {
    const edits = parseEdits(typeof sent === 'string' ? JSON.parse(sent) : sent);
    return edits.reduce((before, edit) => {
      assertWeightFits(edit);
      assertNameFits(before, edit);
      return applyEdit(before, edit);
    }, grid);
  } catch (error) {
    if (error instanceof GridEditError) throw bad('Edits', error.expected);
    if (error instanceof SyntaxError) throw bad('Edits', 'a JSON array of edits');
    throw error;
  }
}

function assertWeightFits(edit: GridEdit): void {
  if (edit.kind !== 'weight') return;
  if (!/^\d+(?:\.\d+)?$/.test(edit.weight)) throw bad('Edits', 'a weight such as 5 or 2.5');
  assertWeight(edit.weight, 'Edits');
}

/** Throws for a name that a column of its kind cannot have. */
function assertNameFits({ columns }: Grid, edit: GridEdit): void {
  if (edit.kind !== 'addColumn' && edit.kind !== 'renameColumn') return;
  const own = edit.kind === 'renameColumn' ? columns[edit.column] : undefined;
  const column = edit.kind === 'addColumn' ? edit.column : own;
  if (!column) return;
  const name = edit.kind === 'addColumn' ? column.name : edit.name;
  const others = columns.filter((other) => other.kind === column.kind && other !== own);
  const kind = column.kind === 'Input' ? 'input' : 'output';
  assertColumnName(
    kind,
    name,
    others.map((other) => other.name),
    'Edits',
  );
}
