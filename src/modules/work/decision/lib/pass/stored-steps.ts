import { arrayLiteral, type Db, type Transaction } from '../../../../../kernel/database/store.ts';
import { notFound } from '../../../../../kernel/records/search/read.ts';
import type { Workflow } from '../../decision.record.ts';

/** The status of a step. Without one it was inserted and is about to start. */
export type StepStatus = 'Started' | 'Queued' | 'Pending' | 'Complete' | 'Error' | 'Canceled' | 'Reprocessing';

/** A locked workflow, as a pass sees it. */
export interface OpenDecision {
  readonly id: number;
  readonly status: string | null;
  readonly object: string | null;
  readonly objectId: number | null;
  readonly templateId: number | null;
  readonly versionId: number | null;
  readonly parentStepId: number | null;
  readonly start: string | null;
  readonly completion: string | null;
  readonly canceled: string | null;
  readonly delayed: boolean;
  readonly sequence: number;
}

/** A step, as a pass sees it. Instants are ISO 8601. */
export interface StepState {
  readonly id: number;
  /** Its DecisionStepTemplate. */
  readonly templateId: number;
  status: StepStatus | null;
  isTrue: boolean | null;
  completion: string | null;
  canceled: boolean;
  insertedSequence: number;
  completedSequence: number | null;
  estimatedStart: string | null;
  estimatedCompletion: string | null;
  object: string | null;
  objectId: number | null;
  /** No queued call will come for it, for example because one arrived during a hold. */
  isUnqueued: boolean;
}

const DECISION = `select decisionid as id, status, object, objectid as "objectId", decisiontemplateid as "templateId",
    decisiontemplateversionid as "versionId", parentdecisionstepid as "parentStepId", actualstart as start,
    actualcompletion as completion, canceleddate as canceled, coalesce(delayed, false) as delayed,
    coalesce(stepsequence, 0) as sequence
  from decision
  where decisionid = $1::bigint`;

/** Steps as JSON arrays. Every pass reads them, and rows of many columns take ten times as long. */
const STEPS = `select coalesce(
    json_agg(
      json_build_array(
        decisionstepid, decisionsteptemplateid, status, istrue, actualcompletion, canceleddate is not null,
        insertedsequence, completedsequence, estimatedstart, estimatedcompletion, object, objectid,
        queuemessageid is null
      )
      order by decisionstepid
    ),
    '[]'
  ) as steps
  from decisionstep
  where decisionid = $1::bigint`;

type StepArray = readonly [
  number,
  number,
  StepStatus | null,
  boolean | null,
  string | null,
  boolean,
  number | null,
  number | null,
  string | null,
  string | null,
  string | null,
  number | null,
  boolean,
];

/** What a pass starts with. */
export interface OpenedDecision {
  readonly decision: OpenDecision;
  readonly steps: readonly StepState[];
  /** Allocated IDs for steps that it inserts. */
  readonly ids: readonly number[];
  /** The summary of the case as XML, if it was read ahead. */
  readonly summary?: string;
}

/** Most passes insert at most this many steps. */
const IDS_OF_PASS = 4;

/**
 * Locks a workflow until the transaction ends, and reads it with its steps. All statements are sent at once: those
 * after the lock see what it waited for.
 */
export async function openDecision(db: Db, decisionId: number): Promise<OpenedDecision> {
  const [decision, steps, ids] = await Promise.all([
    lockDecision(db, decisionId),
    readSteps(db, decisionId),
    allocateStepIds(db, IDS_OF_PASS),
  ]);
  return { decision, steps, ids };
}

/**
 * Returns a workflow that this transaction has just created or restored, from its row: no other transaction sees it,
 * and it has no steps.
 */
export function newDecision(row: Workflow): OpenedDecision {
  const decision: OpenDecision = {
    id: row.DecisionID,
    status: row.Status,
    object: row.Object,
    objectId: row.ObjectID,
    templateId: row.DecisionTemplateID,
    versionId: row.DecisionTemplateVersionID,
    parentStepId: row.ParentDecisionStepID,
    start: row.ActualStart,
    completion: row.ActualCompletion,
    canceled: row.CanceledDate,
    delayed: row.Delayed === true,
    sequence: row.StepSequence ?? 0,
  };
  return { decision, steps: [], ids: [] };
}

/** Locks a workflow until the transaction ends, and reads it. Every change of a workflow takes this lock. */
export function lockDecision(db: Db, decisionId: number): Promise<OpenDecision> {
  return selectDecision(db, `${DECISION} for update`, decisionId);
}

/** Reads a workflow without locking it. */
export function readDecision(db: Db, decisionId: number): Promise<OpenDecision> {
  return selectDecision(db, DECISION, decisionId);
}

async function selectDecision(db: Db, query: string, decisionId: number): Promise<OpenDecision> {
  const [row] = await db.query<OpenDecision>(query, [decisionId]);
  if (!row) throw notFound({ name: 'Workflow' }, decisionId);
  return row;
}

/**
 * Locks several workflows until the transaction ends, newest first. This is the standard order: a pass that completes a
 * workflow continues with its parent, so children are locked before parents, and a child is newer than its parent. If a
 * restart moved children to a newer parent, two callers may deadlock; then one of them is retried.
 */
export async function lockWorkflows(db: Db, ids: readonly number[]): Promise<void> {
  await db.query('select 1 from decision where decisionid = any($1::bigint[]) order by decisionid desc for update', [
    arrayLiteral(ids),
  ]);
}

/** Returns the steps of a locked workflow, in order of insertion. */
export async function readSteps(db: Db, decisionId: number): Promise<StepState[]> {
  const [row] = await db.query<{ steps: readonly StepArray[] }>(STEPS, [decisionId]);
  return (row?.steps ?? []).map(
    ([
      id,
      templateId,
      status,
      isTrue,
      completion,
      canceled,
      insertedSequence,
      completedSequence,
      estimatedStart,
      estimatedCompletion,
      object,
      objectId,
      isUnqueued,
    ]) => ({
      id,
      templateId,
      status,
      isTrue,
      completion: toIso(completion),
      canceled,
      insertedSequence: insertedSequence ?? 0,
      completedSequence,
      estimatedStart: toIso(estimatedStart),
      estimatedCompletion: toIso(estimatedCompletion),
      object,
      objectId,
      isUnqueued,
    }),
  );
}

/** Instants in JSON have a zone offset and microseconds. */
function toIso(text: string | null): string | null {
  return text === null ? null : new Date(text).toISOString();
}

/** Most IDs allocated at once: no more than the template has steps. */
export const IDS_PER_ALLOCATION_MAX = 12;

/** Allocates IDs for new steps. Returns them in one row, since each row is a message to decode. */
export async function allocateStepIds(db: Db, count: number): Promise<number[]> {
  const [row] = await db.query<{ ids: number[] }>(
    `select to_json(array(select nextval('decisionstep_decisionstepid_seq') from generate_series(1, ${count}))) as ids`,
  );
  return row?.ids ?? [];
}

/** A new row of a step. Columns not listed are set later. */
export interface NewStep {
  readonly step: StepState;
  readonly name: string;
  readonly type: string | null;
  readonly start: string | null;
  readonly teamId: number | null;
  readonly enforceDelay: boolean;
  readonly delayed: boolean;
  readonly messageId: string | null;
}

/** Changes of a step, by column, as stored. */
export interface StepChange {
  status?: StepStatus | null;
  istrue?: boolean | null;
  object?: string | null;
  objectid?: number | null;
  actualstart?: string | null;
  actualcompletion?: string | null;
  canceleddate?: string | null;
  errordate?: string | null;
  errorguid?: string | null;
  errormessage?: string | null;
  queuemessageid?: string | null;
  completedsequence?: number | null;
}

/** The values of new steps that differ from step to step, with the SQL types of their columns. */
const newStepColumns = {
  decisionstepid: { type: 'bigint', of: ({ step }) => step.id },
  decisionstep: { type: 'text', of: ({ name }) => name },
  decisionsteptype: { type: 'text', of: ({ type }) => type },
  decisionsteptemplateid: { type: 'bigint', of: ({ step }) => step.templateId },
  status: { type: 'text', of: ({ step }) => step.status },
  istrue: { type: 'boolean', of: ({ step }) => step.isTrue },
  object: { type: 'text', of: ({ step }) => step.object },
  objectid: { type: 'bigint', of: ({ step }) => step.objectId },
  estimatedstart: { type: 'timestamptz', of: ({ step }) => step.estimatedStart },
  estimatedcompletion: { type: 'timestamptz', of: ({ step }) => step.estimatedCompletion },
  actualstart: { type: 'timestamptz', of: ({ start }) => start },
  actualcompletion: { type: 'timestamptz', of: ({ step }) => step.completion },
  teamid: { type: 'bigint', of: ({ teamId }) => teamId },
  enforcedelay: { type: 'boolean', of: ({ enforceDelay }) => enforceDelay },
  delayed: { type: 'boolean', of: ({ delayed }) => delayed },
  queuemessageid: { type: 'text', of: ({ messageId }) => messageId },
  insertedsequence: { type: 'integer', of: ({ step }) => step.insertedSequence },
  completedsequence: { type: 'integer', of: ({ step }) => step.completedSequence },
} satisfies Readonly<Record<string, NewStepColumn>>;

/** A column of new steps: its SQL type, and its value of a step. */
interface NewStepColumn {
  readonly type: string;
  readonly of: (row: NewStep) => string | number | boolean | null;
}

const newStepValues: readonly NewStepColumn[] = Object.values(newStepColumns);

/**
 * Returns SQL that inserts any number of steps of one workflow. `$1` is the workflow, `$2` the time, `$3` the user, and
 * the columns are arrays from the parameter `first` on. Arrays are half as long as JSON: the driver sends anything over
 * a kilobyte immediately, and the commit would then need another packet.
 */
function insertText(first: number): string {
  const arrays = newStepValues.map(({ type }, at) => `$${first + at}::${type}[]`);
  return `insert into decisionstep (
      ${Object.keys(newStepColumns).join(', ')},
      decisionid, createddate, createdpersonid, updateddate, updatedpersonid
    ) overriding system value
    select t.*, $1::bigint, $2::timestamptz, $3::bigint, $2::timestamptz, $3::bigint
    from unnest(${arrays.join(', ')}) as t`;
}

/** Changes of the workflow's own row. */
export interface DecisionChange {
  readonly sequence: number;
  readonly status: string | null;
  /** When it completed, if it did. */
  readonly completion: string | null;
}

const INSERT = insertText(4);
const UPDATE_DECISION = `update decision
  set stepsequence = $4::integer, status = $5::text, actualcompletion = coalesce($6::timestamptz, actualcompletion),
    updateddate = $2::timestamptz, updatedpersonid = $3::bigint, version = version + 1
  where decisionid = $1::bigint`;
const INSERT_AND_UPDATE = `with steps as (${insertText(7)}) ${UPDATE_DECISION}`;

/** The writes of a pass over a workflow, with their time and user. */
interface StepWrite {
  readonly decisionId: number;
  readonly rows: readonly NewStep[];
  readonly decision: DecisionChange | undefined;
  readonly now: string;
  readonly personId: number;
}

/**
 * Inserts steps and updates their workflow, if it changed, without waiting for the result. One statement does both,
 * since most passes end so.
 */
export function writeSteps(transaction: Transaction, write: StepWrite): void {
  const { decisionId, rows, decision, now, personId } = write;
  const change = decision && [decision.sequence, decision.status, decision.completion];
  const arrays =
    rows.length === 0 ? [] : newStepValues.map(({ of }) => arrayLiteral(rows.map((row) => elementOf(of(row)))));
  const who = [decisionId, now, personId];
  if (rows.length > 0 && change) transaction.later(INSERT_AND_UPDATE, [...who, ...change, ...arrays]);
  else if (rows.length > 0) transaction.later(INSERT, [...who, ...arrays]);
  else if (change) transaction.later(UPDATE_DECISION, [...who, ...change]);
}

function elementOf(value: string | number | boolean | null): string | number | null {
  return typeof value === 'boolean' ? String(value) : value;
}

const columnTypes: Readonly<Record<keyof StepChange, string>> = {
  status: 'text',
  istrue: 'boolean',
  object: 'text',
  objectid: 'bigint',
  actualstart: 'timestamptz',
  actualcompletion: 'timestamptz',
  canceleddate: 'timestamptz',
  errordate: 'timestamptz',
  errorguid: 'text',
  errormessage: 'text',
  queuemessageid: 'text',
  completedsequence: 'integer',
};

/** A change of a stored step, with its time and user. */
interface StepUpdate {
  readonly id: number;
  readonly change: StepChange;
  readonly now: string;
  readonly personId: number;
}

/** Sends the change of a step without waiting for the result. */
export function updateStep(transaction: Transaction, { id, change, now, personId }: StepUpdate): void {
  const names = Object.keys(change).sort() as (keyof StepChange)[];
  const sets = names.map((name, at) => `${name} = $${at + 4}::${columnTypes[name]}, `).join('');
  transaction.later(
    `update decisionstep
     set ${sets}updateddate = $2::timestamptz, updatedpersonid = $3::bigint, version = version + 1
     where decisionstepid = $1::bigint`,
    [id, now, personId, ...names.map((name) => change[name] ?? null)],
  );
}
