import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { columnText } from '../../lib/column-text.ts';
import { isA } from '../../../../kernel/declare/registry.ts';
import { notFound } from '../../../../kernel/records/search/read.ts';
import type { decisionDelay } from '../decisiondelay.record.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import type { Row } from '../../../../kernel/door/answer.ts';

/** Statuses of a hold that has ended, with or without an ActualCompletion. */
const ENDED_STATUSES = new Set(['canceled', 'cancelled', 'complete', 'completed', 'closed', 'rejected']);

interface HeldWorkflow {
  readonly object: string | null;
  readonly objectId: number | null;
  readonly templateId: number | null;
  readonly ended: boolean;
}

interface StoredHold {
  readonly decisionid: number | null;
  readonly object: string | null;
  readonly objectid: number | null;
  readonly decisiondelaytemplateid: number | null;
  readonly start: string | null;
  readonly completion: string | null;
}

const checkedColumns = [
  'DecisionID',
  'Object',
  'ObjectID',
  'DecisionDelayTemplateID',
  'ActualStart',
  'ActualCompletion',
  'Status',
] as const;

/** Whether a save must be checked: of a new hold, or one whose parent, type or dates change. */
export function needsHoldCheck(values: Values<typeof decisionDelay>, id: number | undefined): boolean {
  return id === undefined || checkedColumns.some((name) => values[name] !== undefined);
}

/**
 * Completes and checks a hold before it is saved. A new one is put on its workflow's case and starts; a changed one
 * stays where it is. Either ends after it starts.
 */
export async function checkHold(
  ctx: Context,
  values: Values<typeof decisionDelay>,
  id: number | undefined,
): Promise<void> {
  const stored = id === undefined ? undefined : await lockHold(ctx, id);
  if (stored) assertNotMoved(stored, values);
  else normalizeParent(values);
  const completion = setDates(ctx, values, stored);
  const decisionId = valueAfter(values, 'DecisionID', stored?.decisionid);
  if (typeof decisionId !== 'number') {
    if (!stored) requireTypeOfCaseHold(values);
    return;
  }
  const workflow = await lockWorkflow(ctx, decisionId);
  // A past hold may be entered on a workflow that has ended. A hold that starts now would hold nothing.
  const starts = !stored || (stored.completion !== null && completion === null);
  if (starts && workflow.ended)
    throw new PlatformError('STATE_REFUSES', {
      field: 'DecisionID',
      message: `DecisionID: workflow ${decisionId} is complete or canceled and cannot be put on hold.`,
    });
  if (!stored) takeParentOfWorkflow(workflow, decisionId, values);
  const templateId = values.DecisionDelayTemplateID;
  if (typeof templateId === 'number' && templateId !== stored?.decisiondelaytemplateid)
    await assertTemplateApplies(ctx, templateId, workflow);
}

/**
 * A hold of a case applies to the workflows that its type is for: without a type it would hold none. A loan's hold is
 * never one of workflows.
 */
function requireTypeOfCaseHold({ DecisionDelayTemplateID: type, Object: object }: Values<typeof decisionDelay>): void {
  if (typeof type === 'number' || (object ?? 'Loan') === 'Loan') return;
  throw new PlatformError('MISSING_PARAMETER', {
    field: 'DecisionDelay',
    message: 'DecisionDelay is required: the name of the hold type. A hold without one would not hold any workflow.',
  });
}

/** Returns the value a column will have after the save. */
function valueAfter<N extends (typeof checkedColumns)[number]>(
  values: Values<typeof decisionDelay>,
  name: N,
  before: Row<typeof decisionDelay>[N] | undefined,
): Row<typeof decisionDelay>[N] | null {
  return (name in values ? values[name] : before) ?? null;
}

/** Sets the dates that follow from the others and the Status, checks them, and returns the completion. */
function setDates(ctx: Context, values: Values<typeof decisionDelay>, stored: StoredHold | undefined): unknown {
  const now = ctx.clock.now();
  if (!stored && (values.ActualStart ?? null) === null) values.ActualStart = values.ActualCompletion ?? now;
  const endsByStatus = ENDED_STATUSES.has(columnText(values.Status).toLowerCase());
  if (endsByStatus && valueAfter(values, 'ActualCompletion', stored?.completion) === null)
    values.ActualCompletion = now;
  const completion = valueAfter(values, 'ActualCompletion', stored?.completion);
  const start = valueAfter(values, 'ActualStart', stored?.start);
  if (typeof completion === 'string' && typeof start === 'string')
    assertEndsAfter(ctx, start, completion, values.ActualCompletion !== undefined ? 'ActualCompletion' : 'ActualStart');
  return completion;
}

/**
 * Turns a hold saved as a child of a workflow into one with its DecisionID. Object and ObjectID are for the workflow's
 * record.
 */
function normalizeParent(values: Values<typeof decisionDelay>): void {
  if (values.Object !== 'Decision' || (values.DecisionID ?? null) !== null) return;
  values.DecisionID = values.ObjectID ?? null;
  delete values.Object;
  delete values.ObjectID;
}

async function lockHold(ctx: Context, id: number): Promise<StoredHold | undefined> {
  const [row] = await ctx.db.query<StoredHold>(
    `select decisionid, object, objectid, decisiondelaytemplateid, actualstart as start,
       actualcompletion as completion
     from decisiondelay
     where decisiondelayid = $1::bigint
     for update`,
    [id],
  );
  return row;
}

/**
 * Locks the workflow as every pass does, so that it does not complete meanwhile. The caller's access has been checked.
 */
async function lockWorkflow(ctx: Context, decisionId: number): Promise<HeldWorkflow> {
  const [row] = await ctx.transaction().elevated((db) =>
    db.query<HeldWorkflow>(
      `select object, objectid as "objectId", decisiontemplateid as "templateId",
         actualcompletion is not null or canceleddate is not null as ended
       from decision
       where decisionid = $1::bigint
       for update`,
      [decisionId],
    ),
  );
  if (!row) throw notFound({ name: 'Workflow' }, decisionId, 'DecisionID');
  return row;
}

/**
 * A hold cannot be moved: that would silently release the workflow. That of a loan moves with what belongs to the loan
 * when it is assigned to another, and one that has ended moves with the contact that is merged: it holds nothing.
 */
function assertNotMoved(stored: StoredHold, values: Values<typeof decisionDelay>): void {
  const isOfLoan = stored.object === 'Loan' && stored.decisionid === null;
  if (isOfLoan && (values.Object ?? 'Loan') === 'Loan' && values.DecisionID === undefined) return;
  const staysEnded = stored.completion !== null && values.ActualCompletion !== null;
  const fixed = [
    ['decisionid', 'DecisionID'],
    ['object', 'Object'],
    ['objectid', 'ObjectID'],
  ] as const;
  for (const [name, field] of staysEnded ? fixed.slice(0, 2) : fixed) {
    if (values[field] !== undefined && (values[field] ?? null) !== stored[name])
      throw new PlatformError('STATE_REFUSES', {
        field,
        message: `${field}: a hold cannot be moved; end it and create a new one.`,
      });
  }
}

function takeParentOfWorkflow(
  { object, objectId }: HeldWorkflow,
  decisionId: number,
  values: Values<typeof decisionDelay>,
): void {
  const [sent, sentId] = [values.Object ?? null, values.ObjectID ?? null];
  if (sent !== null && (sent !== object || sentId !== objectId))
    throw bad('ObjectID', `the record of Decision ${decisionId}: ${object ?? 'none'} ${objectId ?? ''}`.trim());
  values.Object = object;
  values.ObjectID = objectId;
}

/**
 * A hold may end in the second, or on the day, in which it started: times are often sent in whole seconds, and a date
 * is sent as its first instant.
 */
function assertEndsAfter(ctx: Context, start: string, completion: string, field: string): void {
  const [ended, began] = [Date.parse(completion), Date.parse(start)];
  const isWholeSecond = ended % 1_000 === 0;
  if (ended >= began || (isWholeSecond && began - ended < 1_000)) return;
  const zone = ctx.settings.get(timeZone);
  const local = (text: string): string => new Date(text).toLocaleString('sv-SE', { timeZone: zone });
  const [end, begin] = [local(completion), local(start)];
  if (end.endsWith(' 00:00:00') && end.slice(0, 10) === begin.slice(0, 10)) return;
  throw bad(
    field,
    field === 'ActualCompletion'
      ? `a time that is not before the start of the hold (${start})`
      : `a time that is not after the end of the hold (${completion})`,
  );
}

/** Checks that the hold type is for the workflow's template, or for none and applies to its record. */
async function assertTemplateApplies(
  ctx: Context,
  templateId: number,
  { object, templateId: kind }: HeldWorkflow,
): Promise<void> {
  const [template] = await ctx.db.query<{ name: string | null; of: number | null; appliesTo: string | null }>(
    `select decisiondelaytemplate as name, decisiontemplateid as of, appliesto as "appliesTo"
     from decisiondelaytemplate
     where decisiondelaytemplateid = $1::bigint`,
    [templateId],
  );
  if (!template) return;
  const required = template.appliesTo === null ? undefined : ctx.registry.record(template.appliesTo);
  const on = object === null ? undefined : ctx.registry.record(object);
  const applies = required === undefined || (on !== undefined && isA(on, required));
  if (applies && (template.of === null || template.of === kind)) return;
  throw bad(
    'DecisionDelayTemplateID',
    `a hold type for the workflow; "${template.name ?? templateId}" is for ` +
      (applies ? `the workflow template ${template.of}` : `${template.appliesTo} records`),
  );
}
