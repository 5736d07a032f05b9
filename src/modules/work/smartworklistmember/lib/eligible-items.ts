import { isOpenWorklist } from '../../lib/open.ts';
import { OPEN } from './item-state.ts';
import { TEAMS_OF_PERSON } from './teams.ts';

/**
 * SQL that ranks the items a user may get, in the order in which `next` gives them: `$1` the user, `$2` the day, `$3`
 * the time, `$4` whether items on hold count. A plain statement of what `next` finds through indexes; for explaining
 * one item, not for choosing.
 */
export const RANKED = `select i.smartworklistmemberid as id, i.smartworklistid,
    row_number() over (
      order by (case when i.personid = $1::bigint then 0 else 1 end), t.teampriority, i.priority, i.sequence,
        i.duedate, i.smartworklistmemberid
    )::integer as place
  from smartworklistmember i
  join smartworklist w on w.smartworklistid = i.smartworklistid and ${isOpenWorklist('w')}
  left join (${TEAMS_OF_PERSON}) t on t.teamid = i.teamid
  where ${OPEN}
    and (i.skipdate is null or i.skipdate <= $3::timestamptz)
    and ($4::boolean or i.helddate is null)
    and (i.personid is null or i.personid = $1::bigint)
    and (i.teamid is null or t.teamid is not null)`;
