/** Writing the tasks of default events, many in one statement. Runs without row security. */
import type { Context } from '../../../kernel/door/context.ts';
import { escapeCopyText, type CopyBuffer } from '../../../kernel/database/copy-buffer.ts';
import { reserveIds } from '../../../kernel/database/reserve-ids.ts';
import { arrayLiteral, type Db } from '../../../kernel/database/store.ts';

/** The task type that an event completes or projects. */
export interface EventTaskType {
  readonly templateId: number;
  readonly name: string;
  /** Whether the case's firm has access to its tasks. */
  readonly isOpen: boolean;
}

/** A task of a case. Instants are as PostgreSQL reads them; '' if not given. */
export interface EventTask {
  readonly caseId: number;
  /** The case's record type. */
  readonly kind: string;
  readonly firm: number;
  readonly task: EventTaskType;
  /** The last completion among its events. */
  readonly actual: string;
  /** The last projected completion among its events. */
  readonly projected: string;
  /** 0 at first; set to the id of the task, found or created. */
  id: number;
}

/** The options of writing tasks. */
export interface EventTaskOptions {
  readonly out: CopyBuffer;
  /** Called once everything needed to write the tasks is known. */
  readonly onDatabaseBusy: () => void;
}

/**
 * Completes or projects tasks, one of each type for a case. A task belongs to the case and its task type, and is
 * created if missing; one that asks people for missing answers is left to them. A later date moves the task's dates
 * forward; an earlier one does not. The caller has checked that the firm may change the cases.
 */
export async function saveEventTasks(
  own: Context,
  db: Db,
  tasks: readonly EventTask[],
  { out, onDatabaseBusy }: EventTaskOptions,
): Promise<void> {
  if (tasks.length === 0) return;
  await findTasks(db, tasks);
  onDatabaseBusy();
  const known = tasks.filter((task) => task.id !== 0);
  const made = tasks.filter((task) => task.id === 0);
  if (known.length > 0) await updateTasks(own, db, known);
  if (made.length > 0) await insertTasks(own, db, made, out);
}

async function findTasks(db: Db, tasks: readonly EventTask[]): Promise<void> {
  const found = await db.query<{ n: number; id: number }>(
    `select k.n::integer as n, i.importformid as id
     from unnest($1::bigint[], $2::text[], $3::bigint[]) with ordinality k (caseid, kind, templateid, n)
     cross join lateral (
       select i.importformid from importform i where i.objectid = k.caseid and i.object = k.kind
       and i.importformtemplateid = k.templateid and i.canceleddate is null and i.isfollowup is not true
       order by (i.actualcompletion is null) desc, i.importformid desc limit 1
     ) i`,
    [
      arrayLiteral(tasks.map((t) => t.caseId)),
      arrayLiteral(tasks.map((t) => t.kind)),
      arrayLiteral(tasks.map((t) => t.task.templateId)),
    ],
  );
  for (const { n, id } of found) {
    const task = tasks[n - 1];
    if (task) task.id = id;
  }
}

/**
 * Updates tasks in one statement, bypassing saves, which would notify subscribers; workflows waiting for completed
 * tasks are processed from the queue.
 */
async function updateTasks(own: Context, db: Db, tasks: readonly EventTask[]): Promise<void> {
  const times = (of: 'actual' | 'projected'): string => arrayLiteral(tasks.map((t) => t[of] || null));
  const [row] = await db.query<{ workflows: readonly number[] | null }>(
    `with k as (
       select * from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) k (id, actual, projected)
     ), completed as (
       select i.importformid as id, i.decisionstepid from k join importform i on i.importformid = k.id
       where k.actual is not null and i.actualcompletion is null
     ), changed as (
     update importform i set actualcompletion = greatest(i.actualcompletion, k.actual), projectedcompletion =
     greatest(i.projectedcompletion, k.projected),
       status = case when k.actual is not null then 'Complete'
       else i.status end, updateddate = $4::timestamptz, updatedpersonid = $5::bigint, version = i.version + 1
     from k where i.importformid = k.id
     and (k.actual > coalesce(i.actualcompletion, '-infinity') or k.projected > coalesce(i.projectedcompletion,
     '-infinity'))
     )
     select json_agg(decisionid order by decisionid) as workflows from (
       select s.decisionid from completed c join decisionstep s on s.decisionstepid = c.decisionstepid
       where s.actualcompletion is null and s.canceleddate is null
       union select s.decisionid from completed c join decisionstep s on s.objectid = c.id and s.object = 'ImportForm'
       where s.actualcompletion is null and s.canceleddate is null
     ) waiting`,
    [arrayLiteral(tasks.map((t) => t.id)), times('actual'), times('projected'), own.clock.now(), own.user.personId],
  );
  const workflows = row?.workflows ?? [];
  if (workflows.length === 0) return;
  await own.actingAs('Workflow', async (workflow) => {
    for (const ID of workflows)
      await workflow.enqueue({ route: 'decision/process', parameters: { ID }, label: `Decision ${ID}` });
  });
}

const TASK_COLUMNS =
  'importformid, importform, status, object, objectid, importformtemplateid, actualcompletion, ' +
  'projectedcompletion, createddate, createdpersonid, updateddate, updatedpersonid, reachorganizationid';

/** Copies new tasks in, with the firms that the row trigger would compute. */
async function insertTasks(own: Context, db: Db, tasks: readonly EventTask[], out: CopyBuffer): Promise<void> {
  const ids = await reserveIds(db, 'importform', tasks.length);
  const tracking = `${own.clock.now()}|${own.user.personId}|`;
  const trackings = `|${tracking}${tracking}`;
  await db.query("select set_config('casewright.reachknown', 'importform', true)");
  await own.transaction().copyFrom(
    `copy importform (${TASK_COLUMNS}) from stdin with (format text, delimiter '|', null '')`,
    out.lines(tasks, (task, n) => {
      task.id = ids(n);
      out
        .number(task.id)
        .endValue()
        .text(escapeCopyText(task.task.name))
        .text(task.actual === '' ? '||' : '|Complete|')
        .text(task.kind)
        .endValue()
        .number(task.caseId)
        .endValue()
        .number(task.task.templateId)
        .endValue();
      out.text(task.actual).endValue().text(task.projected).text(trackings);
      if (task.task.isOpen || own.user.organizationId === task.firm) out.number(task.firm);
    }),
  );
  await db.query("select set_config('casewright.reachknown', '', true)");
}
