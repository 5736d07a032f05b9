import type { Context } from '../../../kernel/context.ts';
import { arrayLiteral, type Db } from '../../../kernel/store.ts';
import type { EventRow } from './event-row.ts';
import type { EventMeaning } from './layout.ts';
import { copyText } from './row-writer.ts';
import { nextIds } from './ids.ts';
import { inChunks } from './chunks.ts';

type Task = NonNullable<EventMeaning['task']>;

/** One task of a case, with the last of the events that speak of it. */
interface CaseTask {
  readonly caseId: number;
  readonly kind: string;
  readonly firm: number;
  readonly task: Task;
  actual: string;
  projected: string;
  readonly rows: EventRow[];
  id: number;
}

/** The tasks that a piece's events complete or project, each once, however many events speak of it. */
function tasksOf(rows: readonly EventRow[]): CaseTask[] {
  const tasks = new Map<string, CaseTask>();
  for (const row of rows) {
    const task = row.meaning?.task;
    if (row.outcome !== 'kept' || task === undefined || row.at === '' || (row.kind !== 'Foreclosure' && row.kind !== 'Bankruptcy')) continue;
    const key = `${row.caseId} ${task.templateId}`;
    let of = tasks.get(key);
    if (!of) tasks.set(key, (of = { caseId: row.caseId, kind: row.kind, firm: row.firm, task, actual: '', projected: '', rows: [], id: 0 }));
    of.rows.push(row);
    if (task.isProjected) of.projected = later(of.projected, row.at);
    else of.actual = later(of.actual, row.at);
  }
  return [...tasks.values()];
}

/** The later of two instants: nearly all are written alike, the others say their zone. */
function later(a: string, b: string): string {
  if (a === '' || b === '') return a || b;
  if (a.endsWith('Z') || b.endsWith('Z')) return Date.parse(a) > Date.parse(b) ? a : b;
  return a > b ? a : b;
}

/**
 * Completes or projects the tasks of a piece. A task is the case's own of that template, made where there is none; a later event
 * moves it on, an earlier one that is reported later does not.
 */
export async function writeTasks(own: Context, db: Db, rows: readonly EventRow[]): Promise<void> {
  const tasks = tasksOf(rows).sort((a, b) => a.caseId - b.caseId);
  if (tasks.length === 0) return;
  await findTasks(db, tasks);
  const known = tasks.filter((task) => task.id !== 0);
  const made = tasks.filter((task) => task.id === 0);
  if (known.length > 0) await updateTasks(own, db, known);
  if (made.length > 0) await insertTasks(own, db, made);
  for (const task of tasks) for (const row of task.rows) row.taskId = task.id;
}

async function findTasks(db: Db, tasks: readonly CaseTask[]): Promise<void> {
  const found = await db.query<{ n: number; id: number }>(
    `select k.n::integer as n, i.importformid as id
     from unnest($1::bigint[], $2::text[], $3::bigint[]) with ordinality k (caseid, kind, templateid, n)
     cross join lateral (
       select i.importformid from importform i where i.objectid = k.caseid and i.object = k.kind and i.importformtemplateid = k.templateid and i.canceleddate is null
       order by (i.actualcompletion is null) desc, i.importformid desc limit 1
     ) i`,
    [arrayLiteral(tasks.map((t) => t.caseId)), arrayLiteral(tasks.map((t) => t.kind)), arrayLiteral(tasks.map((t) => t.task.templateId))],
  );
  for (const { n, id } of found) {
    const task = tasks[n - 1];
    if (task) task.id = id;
  }
}

async function updateTasks(own: Context, db: Db, tasks: readonly CaseTask[]): Promise<void> {
  const times = (of: 'actual' | 'projected'): string => arrayLiteral(tasks.map((t) => t[of] || null));
  await db.query(
    `update importform i set actualcompletion = greatest(i.actualcompletion, k.actual), projectedcompletion = greatest(i.projectedcompletion, k.projected),
       status = case when k.actual is not null then 'Complete' else i.status end, updateddate = $4::timestamptz, updatedpersonid = $5::bigint, version = i.version + 1
     from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) k (id, actual, projected)
     where i.importformid = k.id and (k.actual > coalesce(i.actualcompletion, '-infinity') or k.projected > coalesce(i.projectedcompletion, '-infinity'))`,
    [arrayLiteral(tasks.map((t) => t.id)), times('actual'), times('projected'), own.clock.now(), own.user.personId],
  );
}

const columns = 'importformid, importform, status, object, objectid, importformtemplateid, actualcompletion, projectedcompletion, createddate, createdpersonid, updateddate, updatedpersonid, reachorganizationid';

/** New tasks are copied in, with the firms that the trigger of single ones would find. */
async function insertTasks(own: Context, db: Db, tasks: readonly CaseTask[]): Promise<void> {
  const ids = await nextIds(db, 'importform', tasks.length);
  const tracking = `${own.clock.now()}|${own.user.personId ?? ''}`;
  await db.query("select set_config('casewright.reachknown', 'importform', true)");
  await own.transaction().copyFrom(`copy importform (${columns}) from stdin with (format text, delimiter '|', null '')`, inChunks(tasks, (task, n) => {
    task.id = ids(n);
    const reach = task.task.isOpen || own.user.organizationId === task.firm ? task.firm : '';
    return `${task.id}|${copyText(task.task.name)}|${task.actual === '' ? '' : 'Complete'}|${task.kind}|${task.caseId}|${task.task.templateId}|${task.actual}|${task.projected}|${tracking}|${tracking}|${reach}\n`;
  }));
  await db.query("select set_config('casewright.reachknown', '', true)");
}
