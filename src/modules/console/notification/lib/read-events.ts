import { CHANGE_INTERVAL, NEW_SINCE } from '../../../../kernel/changes/read-changes.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import type { NotificationKind } from '../../../access/public/notification-kinds.ts';

/** Something that happened which a user may want to know, before it is known whether they may. */
export interface NotableEvent {
  /** Who is to be notified; null if the text names them. */
  readonly personId: number | null;
  readonly object: string;
  readonly objectId: number;
  readonly kind: NotificationKind;
  /** Who did it. */
  readonly actor: number | null;
  readonly actorName: string | null;
  /** The type and the firms of the row that changed. */
  readonly type: string;
  readonly firms: readonly number[];
  /** The label of the row, or the name of the column that changed. */
  readonly what: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Events after a position, and the position after them. */
export interface EventBatch {
  readonly position: string;
  readonly events: readonly NotableEvent[];
}

/** Most events that are read at once; a bulk change of more cases than that notifies of some. */
const EVENTS_MAX = 20_000;

const union = (select: (condition: string) => string): string => NEW_SINCE.map(select).join(' union all ');

const followedCase = `join follow f on f.objectid = h.recordid
    and (h.tablename = 'loan' and f.object = 'Loan' or h.tablename <> 'loan' and f.object <> 'Loan')`;

/** Dates and the status of a followed case or loan: one event for each column that changed. */
const columns = `select f.personid, f.object, f.objectid, case o.key when 'status' then 'Stage' else 'Date' end,
    h.actor, f.object, array_remove(p.reachorganizationid || coalesce(l.reachorganizationid, '{}'), null), o.key,
    o.value,
    case h.tablename when 'process' then to_jsonb(p) ->> o.key when 'foreclosure' then to_jsonb(fc) ->> o.key
      when 'bankruptcy' then to_jsonb(b) ->> o.key else to_jsonb(l) ->> o.key end
  from h ${followedCase}
  cross join lateral jsonb_each_text(h.old) o
  left join process p on h.tablename <> 'loan' and p.processid = h.recordid
  left join foreclosure fc on h.tablename = 'foreclosure' and fc.foreclosureid = h.recordid
  left join bankruptcy b on h.tablename = 'bankruptcy' and b.bankruptcyid = h.recordid
  left join loan l on h.tablename = 'loan' and l.loanid = h.recordid
  where h.change = 'update' and h.tablename in ('process', 'foreclosure', 'bankruptcy', 'loan')
    and o.key = any($2::text[])`;

/** Rows that were added below a followed record. */
const added = (table: string, type: string, kind: string, label: string): string =>
  `select f.personid, f.object, f.objectid, '${kind}', c.createdpersonid, '${type}', array[c.reachorganizationid],
    ${label}, null, 'added'
  from a
  join ${table} c on a.tablename = '${table}' and c.${table}id = a.id
  join follow f on f.objectid = c.objectid and f.object = c.object`;

/** Rows below a followed record that were completed. */
const completed = (table: string, type: string, kind: string): string =>
  `select f.personid, f.object, f.objectid, '${kind}', h.actor, '${type}', array[c.reachorganizationid],
    coalesce(c.${table}, ''), null, 'completed'
  from h
  join ${table} c on h.tablename = '${table}' and c.${table}id = h.recordid
  join follow f on f.objectid = c.objectid and f.object = c.object
  where h.change = 'update' and h.old ? 'actualcompletion' and h.old ->> 'actualcompletion' is null
    and c.actualcompletion is not null`;

/** Milestones of workflows of a followed case that were reached. */
const milestones = `select f.personid, f.object, f.objectid, 'Stage', h.actor, 'DecisionStep',
    array[c.reachorganizationid], t.milestone, null, 'reached'
  from h
  join decisionstep c on h.tablename = 'decisionstep' and c.decisionstepid = h.recordid
  join decisionsteptemplate t on t.decisionsteptemplateid = c.decisionsteptemplateid and t.milestone is not null
  join decision d on d.decisionid = c.decisionid
  join follow f on f.objectid = d.objectid and f.object = d.object
  where h.change = 'update' and h.old ? 'actualcompletion' and h.old ->> 'actualcompletion' is null
    and c.actualcompletion is not null`;

/** A task of a queue is given to a user as a work item, also one that they take: that is one event and not two. */
const isNoItem = `not exists (select from smartworklistmember m where m.sourceobject = 'ImportForm'
    and m.sourceobjectid = c.importformid and m.personid = c.assignedpersonid)`;

/** Tasks and work items that were given to a user; items are of their queue, so that many are one notification. */
const assignments = `select c.assignedpersonid, 'ImportForm', c.importformid, 'Assignment', h.actor, 'ImportForm',
    array[c.reachorganizationid], coalesce(c.importform, ''), null, null
  from h
  join importform c on h.tablename = 'importform' and c.importformid = h.recordid and c.assignedpersonid is not null
  where h.change = 'update' and h.old ? 'assignedpersonid' and ${isNoItem}
  union all
  select c.assignedpersonid, 'ImportForm', c.importformid, 'Assignment', c.createdpersonid, 'ImportForm',
    array[c.reachorganizationid], coalesce(c.importform, ''), null, null
  from a
  join importform c on a.tablename = 'importform' and c.importformid = a.id and c.assignedpersonid is not null
  where ${isNoItem}
  union all
  select c.personid, 'SmartWorklist', c.smartworklistid, 'Assignment', h.actor, 'SmartWorklistMember', '{}'::bigint[],
    coalesce(c.smartworklistmember, ''), q.smartworklist, null
  from h
  join smartworklistmember c on h.tablename = 'smartworklistmember' and c.smartworklistmemberid = h.recordid
  join smartworklist q on q.smartworklistid = c.smartworklistid
  where h.change = 'update' and h.old ? 'personid' and c.personid is not null and c.completiondate is null`;

/** Notes that may name users. Whoever writes a mail from outside notifies nobody. */
const mentions = `select null::bigint, c.object, c.objectid, 'Mention', c.createdpersonid, 'Message',
    array[c.reachorganizationid], left(concat_ws(' ', c.message, c.bodytext), 10000), null, null
  from a
  join message c on a.tablename = 'message' and c.messageid = a.id and c.objectid is not null
  where c.mailinboundid is null and (c.bodytext like '%@%' or c.message like '%@%')`;

/** Notes that were written to users; to one who follows the record, the note itself is the event. */
const addressedNotes = `select r.personid, c.object, c.objectid, 'Message', c.createdpersonid, 'Message',
    array[c.reachorganizationid], coalesce(c.message, left(c.bodytext, 200), ''), null, 'added'
  from a
  join message c on a.tablename = 'message' and c.messageid = a.id and c.messagetype = 'Note' and c.objectid is not null
  join messagerecipient r on r.messageid = c.messageid and r.personid is not null
  where not exists (
    select from follow f where f.personid = r.personid and f.object = c.object and f.objectid = c.objectid)`;

/** Users who requested a payment, or follow the record that it pays for. */
const payers = `cross join lateral (
    select p.createdpersonid as personid
    union
    select f.personid from follow f where f.object = p.object and f.objectid = p.objectid) as t`;

/** Disputes of payments: opened, won or lost. */
const disputes = `select t.personid, 'Payment', p.paymentid, 'Payment', c.createdpersonid, 'PaymentDispute',
    array[c.reachorganizationid], coalesce(c.paymentdispute, ''), null, 'Open'
  from a
  join paymentdispute c on a.tablename = 'paymentdispute' and c.paymentdisputeid = a.id
  join payment p on p.paymentid = c.paymentid
  ${payers}
  union all
  select t.personid, 'Payment', p.paymentid, 'Payment', h.actor, 'PaymentDispute', array[c.reachorganizationid],
    coalesce(c.paymentdispute, ''), null, c.status
  from h
  join paymentdispute c on h.tablename = 'paymentdispute' and c.paymentdisputeid = h.recordid
  join payment p on p.paymentid = c.paymentid
  ${payers}
  where h.change = 'update' and h.old ? 'status' and c.status in ('Won', 'Lost')`;

const newHistory = (condition: string): string => `select tablename, recordid, change, personid as actor, old
     from history
     where ${condition} and at > now() - ${CHANGE_INTERVAL}`;
const newRows = (condition: string): string =>
  `select tablename, unnest(ids) as id from recordadded where ${condition}`;

const text = `with h as materialized (${union(newHistory)}), a as materialized (${union(newRows)}),
  events (personid, object, objectid, kind, actor, type, firms, what, before, after) as (
    ${[
      columns,
      added('attachment', 'Attachment', 'Document', "coalesce(c.attachment, c.filename, '')"),
      added('message', 'Message', 'Message', "coalesce(c.message, '')"),
      added('decisiondelay', 'DecisionDelay', 'Hold', "coalesce(c.decisiondelay, '')"),
      completed('decisiondelay', 'DecisionDelay', 'Hold'),
      completed('importform', 'ImportForm', 'Task'),
      milestones,
      assignments,
      mentions,
      addressedNotes,
      disputes,
    ].join(' union all ')}
  )
  select pg_current_snapshot()::text as position, e.personid as "personId", e.object, e.objectid as "objectId", e.kind,
    e.actor, coalesce(nullif(concat_ws(' ', w.firstname, w.lastname), ''), w.person) as "actorName", e.type,
    array_remove(e.firms, null)::text as firms, e.what, e.before, e.after
  from (select) as always
  left join (select * from events where personid is distinct from actor or personid is null limit ${EVENTS_MAX}) e
    on true
  left join person w on w.personid = e.actor`;

/**
 * Returns what happened after a position. `columnNames`: the columns, in lower case, whose changes are events. Reads
 * past row security: the caller checks who may know.
 */
export async function readEvents(db: Db, position: string, columnNames: readonly string[]): Promise<EventBatch> {
  const rows = await db.query<{ position: string; firms: string | null } & Omit<NotableEvent, 'firms'>>(text, [
    position,
    `{${columnNames.join(',')}}`,
  ]);
  return {
    position: rows[0]?.position ?? position,
    events: rows
      .filter((row) => row.firms !== null)
      .map((row) => ({ ...row, firms: (row.firms ?? '').slice(1, -1).split(',').filter(Boolean).map(Number) })),
  };
}
