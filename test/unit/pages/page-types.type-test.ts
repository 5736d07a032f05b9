/**
 * What the compiler refuses in pages: a line below an `@ts-expect-error` must not compile. Nothing here runs; the type
 * check fails where such a line compiles after all.
 */
import type { AnswerRowFor, RowNamed } from '../../../src/kernel/declare/catalog.ts';
import type { RecordType } from '../../../src/kernel/declare/record.ts';
import type { Row } from '../../../src/kernel/door/answer.ts';
import type { Markup } from '../../../src/kernel/render/markup.ts';
import { html } from '../../../src/kernel/render/markup.ts';
import { changedByThisCall } from '../../../src/surfaces/pages/case/actions.ts';
import { workflowName } from '../../../src/surfaces/pages/case/workflow-section.ts';
import { referencesOf, type DisplayedRows } from '../../../src/surfaces/pages/labels.ts';
import type { callOperation as CallOperation } from '../../../src/surfaces/pages/client/call.ts';
import type { PageCall } from '../../../src/surfaces/pages/page-call.ts';
import { columnText } from '../../../src/surfaces/pages/plain-text.ts';

/** Columns of a row that a page shows. */
export function shownColumns(session: RowNamed<'Session'>, step: AnswerRowFor<'decision/project'>, row: Row): Markup {
  return html`${session.Address}
${
  // @ts-expect-error -- a session has no column Adress
  session.Adress
}
${
  // @ts-expect-error -- nor is it found by that name in brackets
  session['Adress']
}
${step.ExpectedStart}
${
  // @ts-expect-error -- the projection of a step has no ExpectedEnd
  step.ExpectedEnd
}
${columnText(row, 'Adress')}
${String(row['Adress'])}
${
  // @ts-expect-error -- of a row whose type is known only at run time, columns are read in brackets
  String(row.Adress)
}`;
}

/** Record types that a page names. */
// @ts-expect-error -- there is no record type Sesion
export type UnknownRow = RowNamed<'Sesion'>;

/** Columns that helpers of pages get. */
export async function helperColumns(call: PageCall, row: RowNamed<'Decision'>): Promise<readonly unknown[]> {
  const references: readonly DisplayedRows[] = [
    referencesOf([row], ['DecisionTemplateID', 'DecisionTemplate']),
    // @ts-expect-error -- a workflow has no column DecisionTemplatID
    referencesOf([row], ['DecisionTemplatID', 'DecisionTemplate']),
    // @ts-expect-error -- there is no record type DecisionTemplat
    referencesOf([row], ['DecisionTemplateID', 'DecisionTemplat']),
  ];
  return [
    references,
    workflowName({ Decision: 'Review', DecisionID: 5 }),
    // @ts-expect-error -- the name is called Decision
    workflowName({ Name: 'Review', DecisionID: 5 }),
    await changedByThisCall(call, 'Decision', 5, 'CanceledDate'),
    // @ts-expect-error -- a workflow has no column CancelledDate
    await changedByThisCall(call, 'Decision', 5, 'CancelledDate'),
  ];
}

/** Results of calls. */
export async function results(call: PageCall, record: RecordType): Promise<readonly unknown[]> {
  const progress = await call.call('importfile/progress', { ID: 5 });
  const outline = await call.call('decision/outline', { ID: 5 });
  const preview = await call.call('importfile/preview', { ID: 5 });
  const changes = await call.callOf(record, 'history', { ID: 5 });
  const rows = await call.callOf(record, 'search', {});
  return [
    progress.answer.row.RowsDone,
    // @ts-expect-error -- a result has only the declared fields: progress has no Reference
    progress.answer.row.Reference,
    outline.answer.root.children[0]?.attributes.Repeatability,
    // @ts-expect-error -- a step of the outline has no attribute Repeatable
    outline.answer.root.children[0]?.attributes.Repeatable,
    outline.answer.root.children[0]?.children[0]?.attributes.IsTrue,
    // @ts-expect-error -- nor has a dependency Result
    outline.answer.root.children[0]?.children[0]?.attributes.Result,
    preview.answer.root.children[0]?.attributes.Sheet,
    // @ts-expect-error -- a row of the preview has no attribute Line
    preview.answer.root.children[0]?.attributes.Line,
    changes.answer.rows[0]?.OldValue,
    // @ts-expect-error -- a change has no column Old
    changes.answer.rows[0]?.Old,
    rows.answer.rows[0]?.RecordCount,
    rows.answer.rows[0]?.[record.idField],
    rows.answer.rows[0]?.Version,
    // @ts-expect-error -- other columns of a record type that is known only at run time are read in brackets
    rows.answer.rows[0]?.Count,
  ];
}

/** Results of calls whose columns or parts are those of the call. */
export async function partsOfResults(call: PageCall): Promise<readonly unknown[]> {
  const form = await call.call('importform/describe', { ID: 5 });
  const types = await call.call('importfiletemplate/search', { SqlColumns: 'ImportFileTemplate,Status' });
  return [
    form.answer.root.attributes.ObjectID,
    // @ts-expect-error -- a form has no attribute Parent
    form.answer.root.attributes.Parent,
    form.answer.root.children.find(({ name }) => name === 'Questions'),
    // @ts-expect-error -- nor a part Question
    form.answer.root.children.find(({ name }) => name === 'Question'),
    types.answer.rows[0]?.Status,
    // @ts-expect-error -- only the requested columns are returned
    types.answer.rows[0]?.Description,
  ];
}

/** Parameters of calls. */
export async function parameters(call: PageCall, record: RecordType): Promise<void> {
  await call.call('session/search', { PersonID: 5, Status: 'Open' });
  // @ts-expect-error -- a session has no column Statu
  await call.call('session/search', { PersonID: 5, Statu: 'Open' });
  await call.call('session/search', { OrderBy: '-SessionID,Address', SqlColumns: 'SessionID,Address' });
  // @ts-expect-error -- nor is it ordered by a column that it has not
  await call.call('session/search', { OrderBy: '-SessionID,Adress' });
  // @ts-expect-error -- and it does not return one
  await call.call('session/search', { SqlColumns: 'SessionID,Adress' });
  await call.call('session/search', { OrderBy: `-${record.idField}` });
  await call.callOf(record, 'select', { ID: '5' });
  // @ts-expect-error -- the required parameter ID is missing
  await call.callOf(record, 'select', {});
  // @ts-expect-error -- there is no parameter Idd
  await call.callOf(record, 'select', { ID: '5', Idd: '5' });
  // @ts-expect-error -- Preview is a truth value or text
  await call.callOf(record, 'rollback', { ID: '5', Preview: 1 });
  await call.callOf(record, 'search', { AnyColumn: '>=5', DisplaySize: '10' });
  // @ts-expect-error -- a number of rows is not a truth value
  await call.callOf(record, 'search', { DisplaySize: true });
  // @ts-expect-error -- there is no such operation
  call.mayOf(record, 'serch');
}

/** Calls of a script in the browser. */
export async function clientCalls(callOperation: typeof CallOperation): Promise<void> {
  await callOperation('record/find', { Text: 'Quill', DisplaySize: '10' });
  // @ts-expect-error -- there is no such operation
  await callOperation('record/fnid', { Text: 'Quill' });
  // @ts-expect-error -- there is no parameter Txet
  await callOperation('record/find', { Txet: 'Quill' });
}
