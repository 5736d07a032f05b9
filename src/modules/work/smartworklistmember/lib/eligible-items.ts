import { OPEN } from './item-state.ts';
import { TEAMS_OF_PERSON } from './teams.ts';

/**
 * SQL of the items that a person may be given at an instant, in the order in which `next` gives them, numbered: `$1` the person, `$2` the
 * day, `$3` the instant. It says plainly what `next` finds by indexes: for one item at a time, not for choosing.
 */
export const RANKED = `select i.smartworklistmemberid as id, i.smartworklistid,
    row_number() over (order by (case when i.personid = $1::bigint then 0 else 1 end), t.teampriority, i.priority, i.sequence, i.duedate, i.smartworklistmemberid)::integer as place
  from smartworklistmember i join smartworklist w on w.smartworklistid = i.smartworklistid and w.canceleddate is null
  left join (${TEAMS_OF_PERSON}) t on t.teamid = i.teamid
  where ${OPEN} and (i.skipdate is null or i.skipdate <= $3::timestamptz) and (i.personid is null or i.personid = $1::bigint) and (i.teamid is null or t.teamid is not null)`;
