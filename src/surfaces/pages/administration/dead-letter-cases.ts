import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { casePath, isCaseType } from '../case/case-link.ts';
import { recordPath } from '../display-values.ts';
import { loadLabels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';

type MessageRow = AnswerRowFor<'queue/search'>;

/** A link to what a call is about, and to the record that it names, where that is another one. */
export interface CaseLink {
  readonly text: string;
  readonly href: string;
  readonly below?: { readonly text: string; readonly href: string };
}

/** A record by its type and ID. */
interface RecordRef {
  readonly object: string;
  readonly id: number;
}

/**
 * Returns for each message, by its ID, what its call is about: the case of a workflow step or of a record that belongs
 * to one, else the record itself.
 */
export async function casesOf(call: PageCall, rows: readonly MessageRow[]): Promise<ReadonlyMap<string, CaseLink>> {
  const named = rows.flatMap(({ QueueMessageID: message, Object: object, ObjectID: id }) =>
    object !== null && id !== null ? [{ message, object, id }] : [],
  );
  const cases = await casesOfSteps(
    call,
    named.flatMap(({ object, id }) => (object === 'DecisionStep' ? [id] : [])),
  );
  const shown = named.map((each) => ({ ...each, of: each.object === 'DecisionStep' ? cases.get(each.id) : undefined }));
  const records = shown.flatMap(({ object, id, of }) => [{ object, id }, ...(of ? [of] : [])]);
  const labels = await loadLabels(call, [
    { columns: [], rows: records.map(({ object, id }) => ({ Object: object, ObjectID: id })) },
  ]);
  const link = ({ object, id }: RecordRef, isPart = false): { readonly text: string; readonly href: string } => {
    const record = call.platform.registry.record(object);
    const text = labels.get(object)?.get(id) ?? `${call.platform.registry.titleOf(object)} ${id}`;
    if (!record) return { text, href: PATH_OF_NOTHING };
    const isCase = !isPart && isCaseType(call.platform.registry, record);
    return { text, href: isCase ? casePath(record, id) : recordPath(record.module, id) };
  };
  return new Map(
    shown.map(({ message, object, id, of }) => [
      message,
      of ? { ...link(of), below: link({ object, id }, true) } : link({ object, id }),
    ]),
  );
}

const PATH_OF_NOTHING = '/records';

/** Returns the records on which the workflows of steps run, by the IDs of the steps. */
async function casesOfSteps(call: PageCall, ids: readonly number[]): Promise<ReadonlyMap<number, RecordRef>> {
  if (ids.length === 0 || !call.may('decisionstep/search') || !call.may('decision/search')) return new Map();
  const steps = await call.call('decisionstep/search', {
    DecisionStepID: [...new Set(ids)],
    SqlColumns: 'DecisionStepID,DecisionID',
    DisplaySize: ids.length,
    RecordCount: 'false',
  });
  const workflows = [...new Set(steps.answer.rows.map(({ DecisionID: id }) => id))];
  if (workflows.length === 0) return new Map();
  const { answer } = await call.call('decision/search', {
    DecisionID: workflows,
    SqlColumns: 'DecisionID,Object,ObjectID',
    DisplaySize: workflows.length,
    RecordCount: 'false',
  });
  const byWorkflow = new Map(answer.rows.map((row) => [row.DecisionID, row]));
  return new Map(
    steps.answer.rows.flatMap(({ DecisionStepID: step, DecisionID: id }) => {
      const of = byWorkflow.get(id);
      return of && of.Object !== null && of.ObjectID !== null ? [[step, { object: of.Object, id: of.ObjectID }]] : [];
    }),
  );
}
