import type { EventTask } from '../../../../work/public/event-tasks.ts';
import type { EventRow } from '../rows/event-row.ts';

/** A task whose dates are still collected. */
type CaseTask = EventTask & { actual: string; projected: string };

/**
 * Returns the tasks that a piece's events complete or project, once each, ordered by case, with the last dates of their
 * events.
 */
export function caseTasks(rows: readonly EventRow[]): readonly EventTask[] {
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
