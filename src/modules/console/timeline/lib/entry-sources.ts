import { MICROSECONDS } from '../../../../kernel/records/history/recent-changes.ts';

/** The kinds of entries, as filters name them. */
export const ENTRY_KINDS = ['Note', 'Mail', 'Document', 'Step', 'Task', 'Hold', 'Event', 'Import', 'Change'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** A stored record that is an entry of a timeline, or several: one for each of its dates. */
export interface EntrySource {
  readonly kind: EntryKind;
  /** The record type; the user must be allowed to search it, unless it is the case itself. */
  readonly record: string;
  /** Only for users who see all rows. */
  readonly isForStaff?: true;
  /**
   * SQL of rows with `at`, `action`, `id`, `title`, `body`, `personid` and `detail`. Parameters: $1 the case's type, $2
   * its id.
   */
  readonly sql: string;
}

/** Most characters of a text that an entry shows. */
const BODY_CHARACTERS_MAX = 2_000;

const body = (column: string): string => `left(${column}, ${BODY_CHARACTERS_MAX})`;

/** Of the case, or of one of its tasks. */
const ofCaseOrTask = (alias: string): string =>
  `((${alias}.objectid = $2::bigint and ${alias}.object = $1::text) or (${alias}.object = 'ImportForm' and ` +
  `${alias}.objectid = any(array(select t.importformid from importform t ` +
  `where t.objectid = $2::bigint and t.object = $1::text))))`;

const ofCase = (alias: string): string => `${alias}.objectid = $2::bigint and ${alias}.object = $1::text`;

/**
 * Where entries come from. Each is read by the index on its parent; what one case has is sorted, which is cheap even
 * for ten thousand. Steps that wait for a task are left out: the task says it.
 */
export const ENTRY_SOURCES: readonly EntrySource[] = [
  {
    kind: 'Change',
    record: 'Process',
    sql: `select p.createddate as at, 'Created' as action, p.processid as id, p.process as title, null::text as body,
        p.createdpersonid as personid, null::text as detail
      from process p
      where p.processid = $2::bigint and p.recordclass = $1::text`,
  },
  {
    kind: 'Note',
    record: 'Message',
    sql: `select m.createddate as at, 'Added' as action, m.messageid as id, m.message as title,
        ${body('m.bodytext')} as body, m.createdpersonid as personid, m.fromname as detail
      from message m
      where ${ofCaseOrTask('m')} and m.mailinboundid is null and m.sentdate is null`,
  },
  {
    kind: 'Mail',
    record: 'Message',
    sql: `select coalesce(m.receiveddate, m.sentdate) as at,
        case when m.mailinboundid is null then 'Sent' else 'Received' end as action, m.messageid as id,
        m.message as title, ${body('m.bodytext')} as body, m.createdpersonid as personid,
        case when m.mailinboundid is null then m.status else coalesce(nullif(m.fromname, ''), m.fromaddress)
        end as detail
      from message m
      where ${ofCaseOrTask('m')} and (m.mailinboundid is not null or m.sentdate is not null)`,
  },
  {
    kind: 'Mail',
    record: 'MailDelivery',
    isForStaff: true,
    sql: `select d.createddate as at, 'Sent' as action, d.maildeliveryid as id, d.maildelivery as title,
        null::text as body, d.createdpersonid as personid, d.status as detail
      from maildelivery d
      where ${ofCase('d')} and d.messageid is null`,
  },
  {
    kind: 'Document',
    record: 'Attachment',
    sql: `select a.createddate as at, 'Added' as action, a.attachmentid as id,
        coalesce(a.attachment, a.filename) as title, null::text as body, a.createdpersonid as personid,
        a.filesize::text as detail
      from attachment a
      where ${ofCaseOrTask('a')}`,
  },
  {
    kind: 'Step',
    record: 'DecisionStep',
    sql: `select e.at, e.action, s.decisionstepid as id, s.decisionstep as title, null::text as body,
        s.updatedpersonid as personid, case when e.action = 'Completed' then s.istrue::text end as detail
      from decision d
      join decisionstep s on s.decisionid = d.decisionid
      cross join lateral (values ('Completed', s.actualcompletion), ('Canceled', s.canceleddate),
        ('Failed', case when s.actualcompletion is null then s.errordate end)) e (action, at)
      where ${ofCase('d')} and e.at is not null and s.object is distinct from 'ImportForm'`,
  },
  {
    kind: 'Step',
    record: 'Decision',
    sql: `select e.at, e.action, d.decisionid as id, d.decision as title, null::text as body,
        case e.action when 'Started' then d.createdpersonid else d.updatedpersonid end as personid, 'Workflow' as detail
      from decision d
      cross join lateral (values ('Started', coalesce(d.actualstart, d.createddate)), ('Completed', d.actualcompletion),
        ('Canceled', d.canceleddate)) e (action, at)
      where ${ofCase('d')} and e.at is not null`,
  },
  {
    kind: 'Task',
    record: 'ImportForm',
    sql: `select e.at, e.action, t.importformid as id, t.importform as title, null::text as body,
        case e.action when 'Added' then t.createdpersonid else t.updatedpersonid end as personid, null::text as detail
      from importform t
      cross join lateral (values ('Added', t.createddate), ('Completed', t.actualcompletion),
        ('Canceled', t.canceleddate)) e (action, at)
      where ${ofCase('t')} and e.at is not null`,
  },
  {
    kind: 'Hold',
    record: 'DecisionDelay',
    sql: `select e.at, e.action, h.decisiondelayid as id, h.decisiondelay as title,
        case e.action when 'Placed' then ${body('h.reasondetail')} end as body,
        case e.action when 'Placed' then h.createdpersonid else h.updatedpersonid end as personid, null::text as detail
      from (
        select x.* from decisiondelay x where ${ofCase('x')}
        union
        select y.* from decision d join decisiondelay y on y.decisionid = d.decisionid where ${ofCase('d')}
      ) h
      cross join lateral (values ('Placed', h.createddate), ('Released', h.actualcompletion)) e (action, at)
      where e.at is not null`,
  },
  {
    kind: 'Event',
    record: 'Event',
    sql: `select v.createddate as at, 'Reported' as action, v.eventid as id, v.event as title,
        ${body('v.delaydetails')} as body, v.createdpersonid as personid, v.eventactualdate::text as detail
      from event v
      where ${ofCase('v')}`,
  },
  {
    kind: 'Import',
    record: 'ImportLog',
    sql: `select l.createddate as at, coalesce(l.operation, 'None') as action, l.importlogid as id,
        i.importfile as title, ${body('l.message')} as body, l.createdpersonid as personid, l.status as detail
      from importlog l
      left join importfile i on i.importfileid = l.importfileid
      where ${ofCase('l')} and l.object in ('Foreclosure', 'Bankruptcy')`,
  },
];

/** Returns a statement for the newest entries of sources before a cursor: $3 its instant, $4 its key, $5 how many. */
export function entriesSql(sources: readonly EntrySource[], isAutomaticShown: boolean): string {
  const parts = sources.map(
    ({ kind, record, sql }) => `(select s.*, '${kind}' as kind, '${record}' as object,
      '${record} ' || s.id || ' ' || s.action as key
      from (${sql}) s
      where ($3::timestamptz is null or (s.at, '${record} ' || s.id || ' ' || s.action) < ($3::timestamptz, $4::text))
        ${isAutomaticShown ? '' : `and ${byPeople(kind)}`}
      order by s.at desc, key desc
      limit $5::integer)`,
  );
  return `select to_char(e.at at time zone 'UTC', ${MICROSECONDS}) as at, e.kind, e.action, e.object, e.id, e.key,
      e.title, e.body, e.personid as "personId", e.detail
    from (${parts.join(' union all ')}) e
    order by e.at desc, e.key desc
    limit $5::integer`;
}

/** Returns a statement for the number of entries of each kind. $3: the built-in users. */
export function countsSql(sources: readonly EntrySource[]): string {
  const parts = sources.map(
    ({ kind, sql }) => `select '${kind}' as kind, count(*)::integer as count,
      count(*) filter (where not (${byPeople(kind, '$3')}))::integer as automatic from (${sql}) s`,
  );
  return `select kind, sum(count)::integer as count, sum(automatic)::integer as automatic
    from (${parts.join(' union all ')}) c
    group by kind`;
}

/** SQL that is true for what people did or wrote: events and imports are automatic, and what built-in users did. */
function byPeople(kind: EntryKind, builtin = '$6'): string {
  const isPerson = `s.personid is not null and s.personid <> all(${builtin}::bigint[])`;
  if (kind === 'Mail') return `(s.action = 'Received' or ${isPerson})`;
  return kind === 'Event' || kind === 'Import' ? `(false and ${isPerson})` : `(${isPerson})`;
}
