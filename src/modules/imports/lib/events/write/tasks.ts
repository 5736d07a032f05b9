import type { Context } from '../../../../../kernel/door/context.ts';
import { arrayLiteral, type Db } from '../../../../../kernel/database/store.ts';
import type { EventRow } from '../rows/event-row.ts';
import type { EventCodeConfig } from '../file/event-layout.ts';
import { escapeCopyText } from '../rows/copy-row-writer.ts';
import { reserveIds } from './reserve-ids.ts';
import type { CopyBuffer } from './copy-buffer.ts';

type EventTask = NonNullable<EventCodeConfig['task']>;

/** The options of writing a piece that tasks need. */
interface TaskWork {
  readonly out: CopyBuffer;
  readonly onDatabaseBusy: () => void;
}

/** One task of a case, with the last dates of its events. */
interface CaseTask {
  readonly caseId: number;
  readonly kind: string;
  readonly firm: number;
  readonly task: EventTask;
  actual: string;
  projected: string;
  id: number;
}

/** Returns the tasks that a piece's events complete or project, once each, ordered by case. */
function caseTasks(rows: readonly EventRow[]): CaseTask[] {
  const message = rows.filter(
    (row) =>
      row.outcome === 'kept' &&
      row.meaning?.task !== undefined &&
      row.at !== '' &&
      (row.kind === 'Foreclosure' || row.kind === 'Bankruptcy'),
  );
  message.sort(
    (a, b) => a.caseId - b.caseId || (a.meaning?.task?.templateId ?? 0) - (b.meaning?.task?.templateId ?? 0),
  );
  const tasks: CaseTask[] = [];
  let of: CaseTask | undefined;
  for (const row of message) {
    const task = row.meaning?.task;
    if (!task) continue;
    if (of?.caseId !== row.caseId || of.task.templateId !== task.templateId)
      tasks.push((of = { caseId: row.caseId, kind: row.kind, firm: row.firm, task, actual: '', projected: '', id: 0 }));
    row.task = of;
    if (task.isProjected) of.projected = laterInstant(of.projected, row.at);
    else of.actual = laterInstant(of.actual, row.at);
  }
  return tasks;
}

/** Returns the later of two instants. Nearly all have the same form; the others carry a time zone. */
function laterInstant(a: string, b: string): string {
  if (a === '' || b === '') return a || b;
  if (a.endsWith('Z') || b.endsWith('Z')) return Date.parse(a) > Date.parse(b) ? a : b;
  return a > b ? a : b;
}

/**
 * Completes or projects the tasks of a piece. A task belongs to the case and its task type, and is created if missing.
 * A later event moves its dates forward; an earlier event reported late does not. `onDatabaseBusy` is called once
 * everything needed to write the tasks is known.
 */
export async function writeTasks(
  own: Context,
  db: Db,
  rows: readonly EventRow[],
  { out, onDatabaseBusy }: TaskWork,
): Promise<void> {
  const tasks = caseTasks(rows);
  if (tasks.length === 0) return;
  await findTasks(db, tasks);
  onDatabaseBusy();
  const known = tasks.filter((task) => task.id !== 0);
  const made = tasks.filter((task) => task.id === 0);
  if (known.length > 0) await updateTasks(own, db, known);
  if (made.length > 0) await insertTasks(own, db, made, out);
}

async function findTasks(db: Db, tasks: readonly CaseTask[]): Promise<void> {
  const found = await db.query<{ n: number; id: number }>(
    `select k.n::integer as n, i.importformid as id
     from unnest($1::bigint[], $2::text[], $3::bigint[]) with ordinality k (caseid, kind, templateid, n)
     cross join lateral (
       select i.importformid from importform i where i.objectid = k.caseid and i.object = k.kind
       and i.importformtemplateid = k.templateid and i.canceleddate is null
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
async function updateTasks(own: Context, db: Db, tasks: readonly CaseTask[]): Promise<void> {
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
async function insertTasks(own: Context, db: Db, tasks: readonly CaseTask[], out: CopyBuffer): Promise<void> {
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
